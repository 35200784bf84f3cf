import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

/** What a monitor says in n8n's log. */
export class MonitorLog {
	private readonly said = new Set<string>();

	constructor(private readonly context: ITriggerFunctions) {}

	warn(message: string, more: IDataObject = {}): void {
		const { name } = this.context.getNode();
		const workflow = this.context.getWorkflow().name;
		this.context.logger.warn(`${name}: ${message}`, { workflow, ...more });
	}

	/** What stays as it is, once. */
	warnOnce(message: string): void {
		if (!this.said.has(message)) this.warn(message);
		this.said.add(message);
	}
}
