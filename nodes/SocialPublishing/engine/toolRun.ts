import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether n8n runs the node as a model's tool. */
export const isToolRun = (n8n: IExecuteFunctions): boolean =>
	n8n.isToolExecution?.() || n8n.getNode().type.endsWith('Tool');
