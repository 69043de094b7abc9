/**
 * Operations beside chat that a vendor says in words of its own. The relay speaks OpenAI's; what stands here is what
 * the records of such vendors have in common.
 */
import { fail } from '../core/errors.ts';
import { isObject, type JsonObject, parseJson } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { nowSec } from '../core/time.ts';
import type { Usage } from '../core/usage.ts';
import type { FormFile, UpstreamErrorBody } from '../dialects/dialect.ts';
import { objectOf, textOf } from '../dialects/fields.ts';
import type { EmbeddingCodec, EmbeddingDialect } from '../dialects/plain/embedding.ts';
import { openaiEmbeddings } from '../dialects/plain/openai-embeddings.ts';
import { isPicturePart } from '../dialects/plain/openai-images.ts';
import { openaiRerank } from '../dialects/plain/openai-rerank.ts';
import { listed, plainReply } from '../dialects/plain/plain.ts';
import type { RerankCodec, RerankDialect } from '../dialects/plain/rerank.ts';
import type { Ask, CallForm, Finish, Finished, UpstreamCall } from './provider.ts';

export interface VendorOperation {
  /** Below the channel's address. */
  path(call: UpstreamCall): string;
  /** The body for a request of OpenAI's. */
  write?(asked: JsonObject, call: Omit<UpstreamCall, 'body'>): JsonObject;
  /** What goes up instead of a form. */
  upload?(call: UpstreamCall, form: CallForm): Promise<Payload>;
  finish?: Finish;
}

export interface Payload {
  body: string | Uint8Array<ArrayBuffer>;
  contentType: string;
}

export const jsonPayload = (body: JsonObject): Payload => ({
  body: JSON.stringify(body),
  contentType: 'application/json',
});

// ---- Answers -----------------------------------------------------------------------------------------------------

/** The bytes of an answer. Throws `upstream_error` beyond the bound of whole answers. */
export async function readBytes(answer: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.byteLength;
    if (bytes > limits.upstreamPlainBytes) {
      throw fail('upstream_error', { params: { reason: { zh: '回答过大', en: 'its answer is too large' } } });
    }
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

export const readText = async (answer: Response): Promise<string> =>
  Buffer.from(await readBytes(answer)).toString();

/**
 * A failure in the shape that everything after this understands. `usage`: what its vendor told of an answer that holds nothing
 * of what was asked for; he bills it all the same.
 */
export const refusal = (
  status: number,
  error: Partial<UpstreamErrorBody> & { message: string },
  usage: Usage | null = null,
): Finished => {
  const failure = Response.json({ error }, { status });
  return usage ? Object.assign(failure, { usage }) : failure;
};

/** Reads an answer of JSON; one that is none is left for the relay to refuse. */
export const finishJson =
  (
    read: (
      body: JsonObject,
      call: UpstreamCall,
      ask: Ask,
    ) => JsonObject | Response | Promise<JsonObject | Response>,
  ): Finish =>
  async (answer, call, ask) => {
    const text = await readText(answer);
    const body = parseJson(text);
    if (!isObject(body)) return new Response(text, { headers: { 'content-type': 'application/json' } });
    const told = await read(body as JsonObject, call, ask);
    return told instanceof Response ? told : Response.json(told);
  };

// ---- Pictures ----------------------------------------------------------------------------------------------------

/** OpenAI's answer with these pictures: addresses, or their bytes where the caller wants them so. */
export async function picturesAnswer(
  pictures: readonly JsonObject[],
  { asked }: UpstreamCall,
  ask: Ask,
  more: JsonObject = {},
): Promise<JsonObject> {
  const wantsBytes = asked.response_format === 'b64_json';
  const data = await Promise.all(
    pictures.map(async ({ url, ...rest }): Promise<JsonObject> => {
      if (typeof url !== 'string' || rest.b64_json !== undefined) return rest;
      return wantsBytes ? { ...rest, b64_json: await fetchBase64(url, ask) } : { ...rest, url };
    }),
  );
  return { created: nowSec(), data, ...more };
}

/** Width and height of a size in OpenAI's words; nothing of any other. */
export const pixelsOf = (size: unknown): number[] =>
  /^(\d+)x(\d+)$/
    .exec(textOf(size) ?? '')
    ?.slice(1)
    .map(Number) ?? [];

async function fetchBase64(url: string, ask: Ask): Promise<string> {
  const answer = await ask({ method: 'GET', url, headers: {} }, true);
  if (!answer.ok)
    throw fail('upstream_error', {
      params: { reason: { zh: '无法取得它的图片', en: 'its picture cannot be fetched' } },
    });
  return Buffer.from(await readBytes(answer)).toString('base64');
}

/** A file of a form as an address with its bytes. */
export async function dataUrlOf(file: FormFile, form: CallForm): Promise<string> {
  return `data:${file.type};base64,${Buffer.from(await form.bytesOf(file)).toString('base64')}`;
}

/** The pictures of a form, in order, without the mask. */
export const picturesOf = ({ files }: CallForm): FormFile[] =>
  files.filter(({ name }) => isPicturePart(name));

/** The addresses of pictures that a request of JSON names, also as data. Throws `invalid_request` for one that is none. */
export const pictureUrls = ({ images }: JsonObject): string[] =>
  (Array.isArray(images) ? images : []).map((image, n) => {
    const { url, image_url } = objectOf(image) ?? {};
    const found = textOf(image) ?? textOf(image_url) ?? textOf(objectOf(image_url)?.url) ?? textOf(url);
    if (found !== undefined) return found;
    throw fail('invalid_request', {
      field: `images[${n}]`,
      params: { reason: { zh: '此渠道只接受图片地址', en: 'this upstream takes pictures by address alone' } },
    });
  });

// ---- Vectors and ranks -------------------------------------------------------------------------------------------

type Wire<Codec extends { writeRequest: unknown; readReply: unknown }> = Pick<
  Codec,
  'writeRequest' | 'readReply'
>;

/** A vendor's own call for embeddings. */
export const vendorEmbeddings = ({ writeRequest, readReply }: Wire<EmbeddingCodec>): EmbeddingDialect => ({
  ...openaiEmbeddings,
  readReply: (body) =>
    plainReply(body, (answer) => {
      const reply = readReply(answer);
      return { usage: reply?.usage ?? null, ...listed(reply?.vectors, 'embeddings') };
    }),
  embedding: { ...openaiEmbeddings.embedding, writeRequest, readReply },
});

/** OpenAI's call at vendors that know vectors as numbers only: who asks for base64 gets it from here. */
export const floatEmbeddings: EmbeddingDialect = vendorEmbeddings(openaiEmbeddings.embedding);

/** A vendor's own call for ranks. */
export const vendorRerank = ({ writeRequest, readReply }: Wire<RerankCodec>): RerankDialect => ({
  ...openaiRerank,
  readReply: (body) =>
    plainReply(body, (answer) => {
      const reply = readReply(answer);
      return { usage: reply?.usage ?? null, ...listed(reply?.results, 'results') };
    }),
  rerank: { ...openaiRerank.rerank, writeRequest, readReply },
});
