/** Errors on the Responses wire: those of the chat wire, and an event of its own for those that come late. */
import type { JsonObject } from '../../core/json.ts';
import type { PublicError, UpstreamErrorBody } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import { errorBody, readError as readChatError } from '../openai-chat/errors.ts';
import { eventFrame } from './write-stream.ts';

export { errorBody } from '../openai-chat/errors.ts';

/**
 * What codes of an answer that has failed mean. Such an answer has status 200, so that the one that is meant is made up here:
 * that of the caller's fault where it has failed for what was said or shown in its request, since it would with whoever else
 * is asked. Of `ResponseError` all others (`server_error`, `vector_store_timeout`, `data_residency_mismatch`) are the
 * upstream's or its account's. An input that is too long and an attack that is feared are told so too, in streams, though
 * its list has no codes for them (codex-rs, `codex-api/src/sse/responses.rs`), and so is what Azure filters.
 */
const MEANT: ReadonlyMap<string, number> = new Map([
  ...[
    'invalid_prompt',
    'context_length_exceeded',
    'bio_policy',
    'cyber_policy',
    'misalignment_policy_violation',
    'content_filter',
    'image_content_policy_violation',
    'invalid_image',
    'invalid_image_format',
    'invalid_base64_image',
    'invalid_image_url',
    'invalid_image_mode',
    'image_too_large',
    'image_too_small',
    'image_parse_error',
    'image_file_too_large',
    'unsupported_image_media_type',
    'empty_image_file',
    'failed_to_download_image',
    'image_file_not_found',
  ].map((code): [string, number] => [code, 400]),
  ['rate_limit_exceeded', 429],
]);

export function readError(body: JsonObject): UpstreamErrorBody | null {
  const error = readChatError(body);
  const status = MEANT.get(error?.code ?? '');
  return error && status ? { ...error, status } : error;
}

/** What an event is. Gateways end a stream that fails by an error alone, without a name (LiteLLM, `async_data_generator`). */
export const typeOfEvent = (event: JsonObject, { event: name }: Frame): string =>
  textOf(event.type) ?? (objectOf(event.error) ? 'error' : name);

/** The error of an event that breaks an answer off: its own, or that of the answer that has failed. */
export function readErrorEvent(event: JsonObject): UpstreamErrorBody {
  const bare = event.type === 'error' && !objectOf(event.error);
  const error = readError(
    bare ? { error: { ...event, type: undefined } } : (objectOf(event.response) ?? event),
  );
  return { ...error, message: error?.message || 'The upstream broke off its answer with an error' };
}

export function errorFrame(given: PublicError): string {
  const error = objectOf(errorBody(given).error) ?? {};
  const { code, message, param } = error;
  return eventFrame({ type: 'error', sequence_number: 0, code, message, param, error });
}
