/**
 * The way of a call that is no chat from the caller's dialect into the upstream's and back. Embeddings, reranking and
 * counting are said in several; everything else passes as it is or not at all.
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { Dialect, ForwardSettings, PathFacts, ReplyFacts, SpokenDialect } from '../dialect.ts';
import { DroppedFields } from '../dropped-fields.ts';
import { AroundStream, type FrameStep, type Passage, samePassage } from '../passage.ts';
import { withIdsFor } from '../told-ids.ts';
import { withToldNames } from '../tool-names.ts';
import type { WordFilter } from '../word-filter.ts';
import { ByteStream } from './byte-stream.ts';
import { filteredCompletions } from './completion-filter.ts';
import type { CountDialect } from './count-tokens.ts';
import {
  type EmbeddingDialect,
  type EmbeddingSetting,
  tokensUsage,
  type UpstreamEmbeddingDialect,
  withoutVectors,
} from './embedding.ts';
import { openaiTranscriptions, openaiTranslations } from './openai-audio.ts';
import { openaiCompletions } from './openai-completions.ts';
import type { RerankDialect } from './rerank.ts';
import { filteredTranscripts } from './transcript-filter.ts';

const isEmbedding = (caller: Dialect): caller is EmbeddingDialect => 'embedding' in caller;
const takesEmbedding = (spoken: SpokenDialect): spoken is UpstreamEmbeddingDialect => 'embedding' in spoken;
const isRerank = (dialect: SpokenDialect): dialect is RerankDialect => 'rerank' in dialect;
const isCount = (dialect: SpokenDialect): dialect is CountDialect => 'count' in dialect;

/** True when calls of the caller's dialect can be said in the other. */
export const convertsTo = (caller: Dialect, spoken: SpokenDialect): boolean =>
  (isEmbedding(caller) && takesEmbedding(spoken)) ||
  (isRerank(caller) && isRerank(spoken)) ||
  (isCount(caller) && isCount(spoken));

/** What a call's way depends on besides its dialects. */
export interface PlainWay {
  /** What the caller's path said. */
  path: PathFacts;
  /** Words that an answer of text must not hold; null for none. */
  filter: WordFilter | null;
}

/** The way to the first of the upstream's dialects that leads there; null when none does. */
export function plainPassage(
  caller: Dialect,
  spoken: readonly SpokenDialect[],
  { path, filter }: PlainWay,
): Passage | null {
  if (spoken.includes(caller)) {
    if (filter && caller === openaiCompletions) return filteredCompletions(filter);
    return filter && isTranscript(caller) ? filteredTranscripts(caller, filter) : passing(caller);
  }
  for (const upstream of spoken) {
    if (isEmbedding(caller) && takesEmbedding(upstream)) return embeddingPassage(caller, upstream, path);
    if (isRerank(caller) && isRerank(upstream)) return rerankPassage(caller, upstream, path);
    if (isCount(caller) && isCount(upstream)) return countPassage(caller, upstream, path);
  }
  return null;
}

const isTranscript = (caller: Dialect): boolean =>
  caller === openaiTranscriptions || caller === openaiTranslations;

function passing(dialect: Dialect): Passage {
  const same = samePassage(dialect);
  return {
    ...same,
    ...(isEmbedding(dialect) && { known: withoutVectors }),
    stream: (request) => (request.bytesOut ? new ByteStream() : new ReadStream(same.stream(request))),
  };
}

/** A stream whose every frame is read: none of these is so frequent that its bytes must do for a measure. */
class ReadStream extends AroundStream {
  mediaBytes = 0;

  push(frame: Uint8Array): FrameStep {
    const step = this.inner.push(frame);
    if (!step.content) return step;
    this.mediaBytes += (frame.length * BYTES_A_BASE64) / 4;
    return { ...step, produced: this.inner.produced(frame) };
  }

  ending(): Uint8Array | string | null {
    return this.inner.ending();
  }
}

/** Four characters are three bytes. */
const BYTES_A_BASE64 = 3;

/** What a conversion knows how to do with one request and its answer. */
interface Conversion<Request, Reply extends { usage: Usage | null }> {
  caller: Dialect;
  upstream: SpokenDialect & Pick<Dialect, 'readReply'>;
  read(body: JsonObject): Request;
  /** What the upstream's wire has no word for. */
  dropped?(request: Request): readonly string[];
  write(request: Request, set: ForwardSettings): JsonObject;
  readReply(body: JsonObject): Reply | null;
  writeReply(reply: Reply, request: Request): JsonObject;
}

function convert<Request, Reply extends { usage: Usage | null }>(
  conversion: Conversion<Request, Reply>,
): Passage {
  const { caller, upstream } = conversion;
  let asked: Request | null = null;
  const dropped = new DroppedFields();
  return {
    upstream,
    converted: { to: upstream.id, dropped: dropped.names },
    request(body, set) {
      asked = conversion.read(body);
      for (const name of conversion.dropped?.(asked) ?? []) dropped.add(name);
      return conversion.write(asked, set);
    },
    reply(_text, body) {
      const facts = upstream.readReply(body);
      const reply = isObject(body) ? conversion.readReply(body as JsonObject) : null;
      if (facts.error || !reply || asked === null) return { facts: failed(facts), text: '' };
      const request = asked;
      const told = (usage: Usage | null) =>
        JSON.stringify(conversion.writeReply({ ...reply, usage }, request));
      return { facts, text: told(reply.usage), counted: told };
    },
    // None of these calls is streamed.
    stream: samePassage(caller).stream,
    streamOfJson: () => null,
  };
}

const failed = (facts: ReplyFacts): ReplyFacts => ({
  ...facts,
  error: facts.error ?? { message: 'its answer cannot be read' },
});

const SETTINGS: readonly EmbeddingSetting[] = ['dimensions', 'taskType', 'title'];

const embeddingPassage = (
  caller: EmbeddingDialect,
  upstream: UpstreamEmbeddingDialect,
  path: PathFacts,
): Passage =>
  convert({
    caller,
    upstream,
    read: (body) => caller.embedding.readRequest(body, path),
    write: (request, { model }) => upstream.embedding.writeRequest({ ...request, model }),
    dropped: (request) => [
      ...(request.others ?? []),
      ...SETTINGS.filter(
        (name) => request[name] !== undefined && !(upstream.embedding.says ?? SETTINGS).includes(name),
      ),
    ],
    readReply: upstream.embedding.readReply,
    writeReply: caller.embedding.writeReply,
  });

const rerankPassage = (caller: RerankDialect, upstream: RerankDialect, path: PathFacts): Passage =>
  convert({
    caller,
    upstream,
    read: (body) => caller.rerank.readRequest(body, path),
    write: (request, { model }) => upstream.rerank.writeRequest({ ...request, model }),
    dropped: ({ others = [] }) => others,
    readReply: upstream.rerank.readReply,
    writeReply: caller.rerank.writeReply,
  });

const countPassage = (caller: CountDialect, upstream: CountDialect, path: PathFacts): Passage =>
  convert({
    caller,
    upstream,
    read: (body) => caller.count.readRequest(body, path),
    // What the other wire has no word for is no part of the count.
    write(request, set) {
      const { callIds, toolNames, writeRequest } = upstream.count;
      const told = withToldNames(withIdsFor(request, set.model, callIds), toolNames).request;
      return writeRequest(told, { ...set, defaultMaxTokens: 1, drop: () => undefined });
    },
    readReply(body) {
      const tokens = upstream.count.readReply(body);
      return tokens === null ? null : { tokens, usage: tokensUsage(tokens) };
    },
    writeReply: ({ tokens }) => caller.count.writeReply(tokens),
  });
