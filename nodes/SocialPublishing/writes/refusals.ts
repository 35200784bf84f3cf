import { lowerFirst } from 'lodash';

import { hasStatus, type Failure } from '../../api/failure';
import { notConfirmed, sendAgain } from '../../api/failureTexts';
import type { Before, Result } from './journal';

/** The service has another request with this key. */
export const isConflict = ({ details }: Failure): boolean =>
	details.code === 'PUBLIC_API_IDEMPOTENCY_CONFLICT';

interface Sending {
	result: Result;
	before: Before;
	isAttached: boolean;
	keyMode: keyof typeof conflictHints;
	wayOn: keyof typeof sendAgain;
}

/** What a person can do about a conflict of a first attempt where the key isn't made of the row's position. */
const conflictHints = {
	// Of calls.
	execution:
		"The same was sent before in another form, so nothing was sent twice. To send it again, set 'Avoid Duplicates' to 'My Own ID'.",
	reply:
		"The same text was sent before with other fields, so nothing was sent twice. To send it again, set 'Avoid Duplicates' to 'My Own ID'.",
	content:
		"An earlier attempt said it in another form, for example with a file at another address, so nothing was sent twice. To send it again, set 'Avoid Duplicates' to 'When I Retry'.",
	custom:
		"'My Own ID' was used before with another text, time or file, so nothing was sent twice. To send this as well, give it another ID. To change a post that was sent, use the operation 'Update', with an ID of its own.",
};

/** The failure of a write in the words that its state needs. */
export function told(failure: Failure, sending: Sending): Failure {
	const { result, before, isAttached, keyMode, wayOn } = sending;
	// Without its file a post isn't sent, whatever became of the file.
	if (isAttached) return failure.with({}, { processed: 'no' });
	// It is there, only its answer wasn't kept.
	if (before === 'succeeded') return failure;
	if (result === 'kept') return failure.with({}, { processed: 'maybe' });
	const isRepeat = before === 'inDoubt' || failure.isRepeat;
	if (result === 'notProcessed' && before === 'nothing')
		return isConflict(failure)
			? failure.with({ hint: conflictHints[keyMode] }, { processed: 'no' })
			: failure;
	const { message, service_message: said = message } = failure.details;
	if (hasStatus(failure, 409) && (isRepeat || !isConflict(failure)))
		return failure.with({
			message: `Not confirmed as sent: an earlier attempt may be in progress or carried out. The service says: ${said}`,
			hint: sendAgain[wayOn],
		});
	if (isRepeat && hasStatus(failure, 400, 422))
		return failure.with(
			{
				message: `Not confirmed as sent: an earlier try may have been carried out, and the service now refuses to repeat it: ${lowerFirst(message)}`,
				hint: 'Check in the service whether it went out. For a new post, run the workflow again.',
			},
			{ processed: 'maybe' },
		);
	return notConfirmed(failure.with({}, { processed: 'maybe' }), wayOn);
}
