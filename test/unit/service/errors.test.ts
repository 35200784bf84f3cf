import { ApiError, ERROR_STATUS, statusOf } from '../../service/errors';
import { statusOf as specified } from '../../support/specification';

test('the codes of the specification, each with its status; any other one is a 500', () => {
	expect(ERROR_STATUS).toEqual(specified);
	expect([statusOf('PUBLIC_API_NOT_FOUND'), statusOf('PUBLIC_API_OF_TOMORROW')]).toEqual([404, 500]);
	expect(new ApiError('PUBLIC_API_KEY_EXPIRED', 'no')).toMatchObject({ status: 401, message: 'no' });
});
