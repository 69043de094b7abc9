/**
 * Real answers of wires that only upstreams speak here, replayed through every dialect in which a caller may have
 * asked: text, calls, thinking, stop reason and usage come out as the recording says.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { innerObject } from '../../src/core/inner-json.ts';
import { completionTokens, promptTokens } from '../../src/core/usage.ts';
import { argumentsOf, eventsOf, joinedText, joinedThinking } from '../../src/dialects/accumulate.ts';
import type { ReplyContext } from '../../src/dialects/codec.ts';
import { parseFrame } from '../../src/dialects/frames.ts';
import { type Splitter, splitterFor } from '../../src/dialects/framing.ts';
import type { ChatReply, StreamEvent } from '../../src/dialects/neutral.ts';
import { accumulate } from './accumulate.ts';
import { writeChunk } from './aws-events.ts';
import { pieces } from './bytes.ts';
import { chatDialects, type Surface, type SurfaceDialect, stopThrough } from './mapping.ts';
import { streams } from './recordings.ts';
import {
  UPSTREAM_WIRES,
  type UpstreamTruth,
  type UpstreamWire,
  upstreamAnswers,
  upstreamStreams,
} from './upstream-wires.ts';

function read(
  splitter: Splitter,
  codec: UpstreamWire['codec'],
  chunks: readonly Uint8Array[],
): StreamEvent[] {
  const reader = codec.streamReader();
  const frames = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
  return [...frames.map(parseFrame).flatMap((frame) => (frame ? reader.push(frame) : [])), ...reader.end()];
}

const contextOf = (surface: Surface): ReplyContext => ({
  model: 'asked',
  createdSec: 1_700_000_000,
  requestId: 'r1',
  request: { dialect: surface, model: 'asked', stream: true, messages: [], tools: [], extra: {} },
  wantsUsage: true,
});

/** The answer as a caller of a dialect reads its stream. */
function through({ id, codec, dialect }: SurfaceDialect, events: readonly StreamEvent[]): ChatReply {
  const writer = codec.streamWriter(contextOf(id));
  const written = events.map((event) => writer.write(event)).join('') + (dialect.endMarker ?? '');
  return accumulate(read(splitterFor('text/event-stream'), codec, [Buffer.from(written)]));
}

function outcome({ choices, usage }: ChatReply): UpstreamTruth {
  const parts = choices[0]?.parts ?? [];
  return {
    text: joinedText(parts),
    thinking: joinedThinking(parts),
    calls: parts.flatMap((part) =>
      part.type === 'tool-call' ? [{ name: part.name, input: argumentsOf(part.input, innerObject) }] : [],
    ),
    stop: choices[0]?.stop ?? 'other',
    prompt: usage ? promptTokens(usage) : -1,
    completion: usage ? completionTokens(usage) : -1,
  };
}

/** The truth as a caller of a dialect sees it, after it was told in another perhaps. */
const expected = (truth: UpstreamTruth, ...through: Surface[]): UpstreamTruth => ({
  ...truth,
  stop: through.reduce((stop, surface) => stopThrough(surface, stop, truth.calls.length > 0), truth.stop),
});

// ---- The recordings ----------------------------------------------------------------------------------------------

const surfaces = chatDialects.map((dialect) => [dialect.id, dialect] as const);

describe.each(UPSTREAM_WIRES.map((wire) => [wire.name, wire] as const))('%s', (_name, wire) => {
  const recorded = upstreamStreams(wire);
  const whole = upstreamAnswers(wire);

  test('there are recordings', () => {
    expect(recorded).not.toBeEmpty();
    expect(whole).not.toBeEmpty();
  });

  describe.each(recorded)('%s', (_file, payloads) => {
    const told = wire.told ? [wire.told] : [];
    const truth = expected(wire.truth([...payloads]), ...told);
    const bytes = Buffer.concat(payloads.map(wire.framed));
    const events = read(wire.splitter(), wire.codec, [bytes]);

    test('is read as what it says, to its end', () => {
      expect(outcome(accumulate(events))).toEqual(truth);
      expect(events.at(-1)).toEqual({ type: 'end' });
    });

    test('gives the same events wherever its bytes are cut', () => {
      fc.assert(
        fc.property(pieces(bytes), (chunks) => {
          expect(read(wire.splitter(), wire.codec, chunks)).toEqual(events);
        }),
        { numRuns: 20 },
      );
    });

    test.each(surfaces)('says the same in %s', (id, surface) => {
      expect(outcome(through(surface, events))).toEqual(expected(truth, id));
    });

    test.each(surfaces)('is the same as a whole answer in %s', (id, { codec, dialect }) => {
      const body = codec.writeReply(accumulate(events), contextOf(id));
      expect(outcome(codec.readReply(JSON.parse(JSON.stringify(body))))).toEqual(expected(truth, id));
      expect(dialect.readReply(body).error).toBeNull();
    });
  });

  describe.each(whole)('%s', (_file, body) => {
    const truth = wire.truth([body]);
    const reply = wire.codec.readReply(body);

    test('is read as what it says', () => {
      expect(outcome(reply)).toEqual(truth);
    });

    test.each(surfaces)('says the same in %s', (id, { codec }) => {
      const written = codec.writeReply(reply, contextOf(id));
      expect(outcome(codec.readReply(JSON.parse(JSON.stringify(written))))).toEqual(expected(truth, id));
    });

    test.each(surfaces)('is the same as a stream in %s', (id, surface) => {
      expect(outcome(through(surface, eventsOf(reply)))).toEqual(expected(truth, id));
    });
  });
});

// ---- One wire in another's frames --------------------------------------------------------------------------------

const messages = chatDialects.find(({ id }) => id === 'anthropic-messages');

describe("the Messages wire in AWS's frames", () => {
  test.each(
    streams().flatMap(({ name, wire, payloads }) =>
      wire === 'anthropic-messages' ? [[name, payloads] as const] : [],
    ),
  )('%s is the same as in its own', (_file, payloads) => {
    if (!messages) throw new Error('no Messages dialect');
    const own = payloads
      .map((payload) => `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`)
      .join('');
    const events = read(splitterFor('text/event-stream'), messages.codec, [Buffer.from(own)]);
    const bytes = Buffer.concat(payloads.map((payload) => writeChunk(payload)));
    fc.assert(
      fc.property(pieces(bytes), (chunks) => {
        const splitter = splitterFor('application/vnd.amazon.eventstream');
        expect(read(splitter, messages.codec, chunks)).toEqual(events);
      }),
      { numRuns: 5 },
    );
  });
});
