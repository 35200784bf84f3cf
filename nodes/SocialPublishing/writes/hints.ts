/** What a run or a preview says about writes that are not sent, or may be sent twice. */

export const callReplayed =
	"An identical call in this execution already sent this, so the service returned its result. To send it again, give it a time of its own, or set Options → Avoid Duplicates to 'My Own ID'.";
export const cannotMatchOriginal =
	"n8n did not keep what the original execution sent, and before version 2.14 a retry can't be matched with it, so posts may have been sent twice. To prevent this, set Options → Avoid Duplicates to 'My Own ID', or update n8n.";

export const notSent = 'Previewed rows were not sent.';

/** In a preview, by the state of the entry. */
export const alreadyBegun = {
	inDoubt:
		'May already have been sent. It goes out again with the same key, so the service carries it out only once.',
	keptAsFailed: "The service keeps this post as failed: it won't be sent again",
	succeeded: "Already sent: it won't be sent again",
};
