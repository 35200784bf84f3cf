import { startN8n } from '../../test/n8n/instance';
import { endOf, MOVING, postNode, postThroughFaults } from '../../test/support/e2e/writes';
import { type Measure, none, sized, figure, type Row } from '../figures';

/** 1,000 posts, one request in five failing, stopped and retried; docs/idempotency.md says what it shows. */
export const posts: Measure = async (scale) => {
	const n8n = await startN8n();
	const size = sized(1000, scale, 20);
	const rows: Row[] = [];
	for (const text of ['={{ $json.text }}', MOVING]) {
		const posted = await postThroughFaults(n8n, size, postNode(text));
		const what = `${size} posts of ${text}, ${posted.stops} stops`;
		rows.push(
			none(`${what}: missing`, posted.missing),
			none('… doubled', posted.doubled),
			none('… with a wrong text', posted.wrong),
			figure('… requests; end of the last run', `${posted.requests}; ${endOf(posted.last)}`),
		);
	}
	await n8n.stop();
	return rows;
};
