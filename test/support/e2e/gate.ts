import { freePort } from '../../n8n/process';
import { type Listener, listenAt, startBalancer } from '../../n8n/queue';

/** An address in front of a server, which can be shut: then the server is "down", and keeps its state. */
export class Gate {
	turnedAway = 0;
	private listener?: Listener;

	private constructor(
		private readonly target: number,
		private readonly port: number,
	) {}

	static async to(url: string): Promise<Gate> {
		const gate = new Gate(Number(new URL(url).port), await freePort());
		await gate.open();
		return gate;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async open(): Promise<void> {
		await this.shut();
		this.listener = await startBalancer(this.port, [this.target]);
	}

	/** Whoever connects is hung up on, and counted. */
	async turnAway(): Promise<void> {
		await this.shut();
		this.turnedAway = 0;
		this.listener = await listenAt(this.port, (client) => {
			this.turnedAway++;
			client.destroy();
		});
	}

	/** Connections are refused, and those that are open are cut. */
	async shut(): Promise<void> {
		await this.listener?.close();
		this.listener = undefined;
	}
}
