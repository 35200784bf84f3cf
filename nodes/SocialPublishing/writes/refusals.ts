import { lowerFirst } from 'lodash';

import { hasStatus, type Failure } from '../../api/failure';
import { notConfirmed, sendAgain } from '../../api/failureTexts';
import type { State } from './journal';
import type { KeyMode } from './key';

/** The service has another request with this key. */
export const isConflict = ({ details }: Failure): boolean =>
	details.code === 'PUBLIC_API_IDEMPOTENCY_CONFLICT';

interface Circumstances {
	/** What is known of it now. */
	state: State | 'nothing';
	/** An earlier attempt may have been carried out. */
	isRepeat: boolean;
	/** A first attempt met another request with its key: another execution's, or, after a crash, this one's own. */
	isFirstConflict: boolean;
	isAttached?: boolean;
	keyMode: KeyMode;
	wayOn: keyof typeof sendAgain;
}

const sentInAnotherForm =
	"The same was sent before in another form, for example with other fields or a file at another address, so nothing was sent twice. To send it again, set 'Avoid Duplicates' to 'My Own ID'.";
/** What a person can do about a conflict of a first attempt where the key isn't made of the row's position. */
const afterConflict: Record<KeyMode, string> = {
	// A call's, or a reply's.
	execution: sentInAnotherForm,
	content: sentInAnotherForm,
	custom:
		"'My Own ID' was used before with another text, time or file, so nothing was sent twice. To send this as well, give it another ID. To change a post that was sent, use the operation 'Update', with an ID of its own.",
};

/** The failure of a write in the words that its state needs. */
export function told(failure: Failure, circumstances: Circumstances): Failure {
	const { state, isRepeat, isFirstConflict, isAttached, keyMode, wayOn } = circumstances;
	// Without its file a post isn't sent, whatever became of the file.
	if (isAttached) return failure;
	if (state === 'nothing')
		return isFirstConflict ? failure.with({ hint: afterConflict[keyMode] }, { processed: 'no' }) : failure;
	// The service has it: only the answer wasn't kept, or it is kept as failed.
	if (state !== 'inDoubt') return failure;
	const unconfirmed = failure.with({}, { processed: 'maybe' });
	const { message } = failure.details;
	if (hasStatus(failure, 409) && !isFirstConflict)
		return unconfirmed.with({
			message: `Not confirmed as sent: an earlier attempt may be in progress or carried out. ${message}`,
			hint: sendAgain[wayOn],
		});
	if (isRepeat && hasStatus(failure, 400, 422))
		return unconfirmed.with({
			message: `Not confirmed as sent: an earlier try may have been carried out, and the service now refuses to repeat it: ${lowerFirst(message)}`,
			hint: 'Check in the service whether it went out. For a new post, run the workflow again.',
		});
	return notConfirmed(unconfirmed, wayOn);
}
