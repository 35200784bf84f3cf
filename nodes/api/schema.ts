import { z } from 'zod';

/** The envelope of every answer (spec, "Response envelope"): asks only for what the code reads. */
export const envelope = z
	.object({
		success: z.boolean(),
		data: z.unknown(),
		error: z.object({ code: z.string(), message: z.string().nullish() }).passthrough().nullish(),
		request_id: z.string().nullish(),
	})
	.passthrough();

/** A post (spec, "Post"): `platforms` only where a single post is fetched. */
export const post = z
	.object({
		id: z.string(),
		status: z.string().optional(),
		provider_post_id: z.string().nullish(),
	})
	.passthrough();

/** What the trigger hands on (spec, "Events"). */
export const event = z
	.object({
		id: z.string(),
		type: z.string(),
		occurred_at: z.string().optional(),
		workspace_id: z.string().optional(),
		brand_id: z.string().optional(),
		data: z.object({}).passthrough().optional(),
	})
	.passthrough();

export const record = z.object({}).passthrough();

/** What a deletion hands out. */
export const deleted = z.object({ deleted: z.literal(true), id: z.string() }).passthrough();

/** Spec, "Per-post analytics". */
export const postAnalytics = z
	.object({
		post_id: z.string(),
		platform: z.string(),
		provider_post_id: z.string().nullish(),
		metrics: z.object({}).passthrough(),
		last_synced_at: z.string().nullish(),
		daily_series: z.array(z.object({ date: z.string() }).passthrough()).optional(),
	})
	.passthrough();

/** A file at the service (spec, "Endpoint list": its fields are not shown, but for `read_url`). */
export const media = z
	.object({
		id: z.string().optional(),
		read_url: z.string(),
		filename: z.string().optional(),
		content_type: z.string().optional(),
		size: z.number().optional(),
		source: z.string().optional(),
	})
	.passthrough();

/** A signed address to upload to (spec, `POST /media/upload-url`). */
export const uploadUrl = z
	.object({
		id: z.string().optional(),
		upload_url: z.string(),
		read_url: z.string(),
		expires_at: z.string().optional(),
	})
	.passthrough();
