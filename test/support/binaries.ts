import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import { Container } from '@n8n/di';
import { mapValues } from 'lodash';
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { cpSync, mkdtempSync } from 'node:fs';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A picture of one pixel. */
export const png = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

/** n8n's binary data in file-system mode, in a folder of its own; files of any size, sparse where they are large. */
export class Binaries {
	private readonly folder = mkdtempSync(join(tmpdir(), 'binaries-'));
	private readonly service: any = Container.get(BinaryDataService as any);

	/** Has to be called before anything else; `default` is n8n's in-memory mode. */
	async use(mode: 'filesystem' | 'default' = 'filesystem'): Promise<void> {
		const config: any = Container.get(BinaryDataConfig as any);
		config.localStoragePath = this.folder;
		config.mode = mode;
		await this.service.init();
	}

	/** A file in n8n's store, as a binary field of an item. */
	async file(fileName: string, mimeType: string, content: Buffer): Promise<IBinaryData> {
		const location = { type: 'execution', workflowId: 'workflow-1', executionId: '1' };
		return await this.service.store(location, content, { fileName, mimeType, data: '' });
	}

	/** The item when its execution is retried: n8n moves the files of a webhook once it has ended. */
	moved(item: INodeExecutionData): INodeExecutionData {
		const move = (file: IBinaryData): IBinaryData => {
			const there = { ...file, id: file.id?.replace('/1/', '/ended/') };
			// In memory, or of an item that came back in an execution that was retried.
			if (there.id === file.id) return file;
			for (const end of ['', '.metadata']) cpSync(this.pathOf(file) + end, this.pathOf(there) + end);
			return there;
		};
		return item.binary ? { ...item, binary: mapValues(item.binary, move) } : item;
	}

	async sparse(fileName: string, mimeType: string, size: number): Promise<IBinaryData> {
		const binary = await this.file(fileName, mimeType, Buffer.from('.'));
		await truncate(this.pathOf(binary), size);
		await writeFile(
			`${this.pathOf(binary)}.metadata`,
			JSON.stringify({ fileName, mimeType, fileSize: size }),
		);
		return { ...binary, bytes: size };
	}

	pathOf({ id }: IBinaryData): string {
		return this.service.getPath(id);
	}

	async remove(): Promise<void> {
		await rm(this.folder, { recursive: true, force: true });
	}
}

export const itemWith = (binary: Record<string, IBinaryData>): INodeExecutionData => ({ json: {}, binary });

export const inMemory = (fileName: string, mimeType: string, content: Buffer): IBinaryData => ({
	fileName,
	mimeType,
	data: content.toString('base64'),
	bytes: content.length,
});
