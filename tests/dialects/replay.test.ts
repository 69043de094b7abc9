/**
 * Real answers, replayed: as their own dialect passes them on, and through every other dialect in which a caller may
 * have asked. What comes out must be what the recording says, as far as the mapping tables promise it.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { innerObject } from '../../src/core/inner-json.ts';
import { isObject, type JsonObject } from '../../src/core/json.ts';
import { completionTokens, promptTokens, type Usage } from '../../src/core/usage.ts';
import {
  Accumulator,
  argumentsOf,
  eventsOf,
  joinedText,
  joinedThinking,
} from '../../src/dialects/accumulate.ts';
import type { ReplyContext } from '../../src/dialects/codec.ts';
import { wrapCustomInput } from '../../src/dialects/custom-tools.ts';
import { FrameSplitter, parseFrame } from '../../src/dialects/frames.ts';
import type { ChatReply, StreamEvent } from '../../src/dialects/neutral.ts';
import { samePassage } from '../../src/dialects/passage.ts';
import { textOf } from './bytes.ts';
import {
  answerParts,
  chatDialects,
  countsOf,
  readStop,
  type Surface,
  type SurfaceDialect,
  stopThrough,
  usageThrough,
} from './mapping.ts';
import { framed, streams, wholeAnswers } from './recordings.ts';
import { type Truth, truthOf } from './truth.ts';

const served = new Set(chatDialects.map(({ id }) => id));
const recordings = streams().filter(({ wire }) => served.has(wire));
const wholes = wholeAnswers().filter(({ wire }) => served.has(wire));

function dialectOf(surface: Surface): SurfaceDialect {
  const found = chatDialects.find(({ id }) => id === surface);
  if (!found) throw new Error(`no dialect ${surface}`);
  return found;
}

const contextOf = (surface: Surface): ReplyContext => ({
  model: 'asked',
  createdSec: 1_700_000_000,
  requestId: 'r1',
  request: { dialect: surface, model: 'asked', stream: true, messages: [], tools: [], extra: {} },
  wantsUsage: true,
});

// ---- Ways through the code ---------------------------------------------------------------------------------------

/** Byte borders anywhere, many or few. */
const borders = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 60 });

function chunks(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => Math.floor(cut * bytes.length)))].sort((a, b) => a - b);
  return [0, ...places].map((place, at) => bytes.slice(place, places[at]));
}

function frames(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const splitter = new FrameSplitter();
  const whole = chunks(bytes, cuts).flatMap((chunk) => splitter.push(chunk));
  const rest = splitter.rest();
  return rest ? [...whole, rest] : whole;
}

/** The same stream as other servers and proxies write it. */
function dressings(bytes: Uint8Array): Uint8Array[] {
  const text = new TextDecoder().decode(bytes).replaceAll('\r\n', '\n');
  return [
    text.replaceAll('\n', '\r\n'),
    text.replaceAll('\n', '\r'),
    text.replaceAll('data: ', 'data:'),
    text.replaceAll('data: ', 'id: 7\nretry: 10\ndata: '),
    `\ufeff: hello\n\n${text}`,
    text.replaceAll('\n\n', '\n\n: keep-alive\n\n\n'),
    text.replaceAll('\n\n', '\n\n: keep-alive\n: keep-alive\n').replace(/(?:: keep-alive\n)+$/, ''),
    text.replaceAll('\n\n', '\n\nevent: ping\ndata: {"type": "ping"}\n\n'),
    text.trimEnd(),
    text.replaceAll('data: [DONE]\n\n', ''),
  ].map((each) => new TextEncoder().encode(each));
}

function read({ codec }: SurfaceDialect, bytes: Uint8Array, cuts: readonly number[] = []): StreamEvent[] {
  const reader = codec.streamReader();
  const events = frames(bytes, cuts).flatMap((frame) => {
    const event = parseFrame(frame);
    return event ? reader.push(event) : [];
  });
  return [...events, ...reader.end()];
}

function write({ id, codec, dialect }: SurfaceDialect, events: readonly StreamEvent[]): Uint8Array {
  const writer = codec.streamWriter(contextOf(id));
  const text = events.map((event) => writer.write(event)).join('');
  return new TextEncoder().encode(text + (dialect.endMarker ?? ''));
}

function collect(events: Iterable<StreamEvent>): Accumulator {
  const stream = new Accumulator();
  for (const event of events) stream.push(event);
  return stream;
}

// ---- What must come out ------------------------------------------------------------------------------------------

interface Outcome {
  text: string;
  refusal: string;
  thinking: string;
  calls: Truth['calls'];
  stop: string | null;
  usage: Truth['usage'];
}

function outcomeOf({ choices, usage }: ChatReply): Outcome {
  const [choice] = choices;
  const parts = choice?.parts ?? [];
  return {
    text: joinedText(parts),
    refusal: parts.map((part) => (part.type === 'refusal' ? part.text : '')).join(''),
    thinking: joinedThinking(parts),
    calls: parts.flatMap((part) => {
      if (part.type !== 'tool-call') return [];
      // A custom tool is a function of one text where the dialect knows no other tools.
      const input =
        part.kind === 'custom' ? wrapCustomInput(part.input) : argumentsOf(part.input, innerObject);
      return [{ name: part.name, input }];
    }),
    stop: choice?.stop ?? null,
    usage: usage && totals(usage),
  };
}

const totals = (usage: Usage): Truth['usage'] => ({
  prompt: promptTokens(usage),
  cached: usage.cacheRead,
  completion: completionTokens(usage),
  reasoning: usage.reasoning,
});

/** The truth of a recording after it went through these dialects, one after the other. */
function expected(wire: Surface, truth: Truth, through: readonly Surface[]): Outcome {
  const calls = truth.calls.length > 0;
  const own = readStop(wire, truth.stop ?? '', calls);
  const stop = through.reduce((reason, surface) => stopThrough(surface, reason, calls), own);
  const isText = through.some((surface) => answerParts.refusal[surface].fate === 'changed');
  return isText ? { ...truth, stop, text: truth.text + truth.refusal, refusal: '' } : { ...truth, stop };
}

/** Where nobody counted, a dialect whose answers must count says zeros. */
function expectOutcome(reply: ChatReply, outcome: Outcome): void {
  const { usage, ...said } = outcomeOf(reply);
  const { usage: counted, ...expectedWords } = outcome;
  expect(said).toEqual(expectedWords);
  const isUncounted = counted === null && usage?.prompt === 0 && usage.completion === 0;
  if (!isUncounted) expect(usage).toEqual(counted);
}

function expectUsageThrough(out: Usage | null, given: Usage | null, through: readonly Surface[]): void {
  if (given === null)
    expect(out === null || (promptTokens(out) === 0 && completionTokens(out) === 0)).toBe(true);
  else
    expect(out && countsOf(out)).toEqual(
      through.reduce((usage, surface) => usageThrough(surface, usage), given),
    );
}

// ---- Streams -----------------------------------------------------------------------------------------------------

const RUNS = { numRuns: 8 };
const others = (wire: Surface) => chatDialects.filter(({ id }) => id !== wire);

test('there are recordings to replay in each dialect', () => {
  for (const { id } of chatDialects) {
    expect(recordings.filter(({ wire }) => wire === id)).not.toBeEmpty();
    expect(wholes.filter(({ wire }) => wire === id)).not.toBeEmpty();
  }
});

describe.each(recordings.map((recording) => [recording.name, recording] as const))(
  '%s',
  (_name, recording) => {
    const { wire } = recording;
    const own = dialectOf(wire);
    const bytes = framed(recording);
    const truth = truthOf(recording, true);
    const events = read(own, bytes);
    // Google's clients look for this themselves; others are told of it as an error.
    const isBlocked = recording.payloads.some(({ promptFeedback }) => isObject(promptFeedback));

    test('is passed on unchanged, and watched, wherever its bytes are cut', () => {
      fc.assert(
        fc.property(borders, (cuts) => {
          const stream = samePassage(own.dialect).stream({ ...FACTS, model: 'asked' });
          const steps = frames(bytes, cuts).map((frame) => stream.push(frame));
          const error = steps.find((step) => step.error)?.error;
          if (truth.stop === null && !isBlocked) {
            expect(error !== undefined || !stream.complete).toBe(true);
            return;
          }
          expect(error).toBeUndefined();
          const passed = steps.map(({ out }) => (out ? textOf(out) : '')).join('');
          expect(passed + textOf(stream.ending() ?? '')).toBe(new TextDecoder().decode(bytes));
          expect(stream.complete).toBe(true);
          expect(stream.usage && totals(stream.usage)).toEqual(truth.usage);
        }),
        RUNS,
      );
    });

    test('gives the same events wherever its bytes are cut', () => {
      fc.assert(
        fc.property(borders, (cuts) => {
          expect(read(own, bytes, cuts)).toEqual(events);
        }),
        RUNS,
      );
      if (bytes.length < 4_000) {
        const everywhere = Array.from({ length: bytes.length }, (_, at) => at / bytes.length);
        expect(read(own, bytes, everywhere)).toEqual(events);
      }
    });

    test('gives the same events however its lines are written', () => {
      for (const dressed of dressings(bytes)) {
        expect(read(own, dressed)).toEqual(events);
        const stream = samePassage(own.dialect).stream({ ...FACTS, model: 'asked' });
        for (const frame of frames(dressed, [])) stream.push(frame);
        const plain = samePassage(own.dialect).stream({ ...FACTS, model: 'asked' });
        for (const frame of frames(bytes, [])) plain.push(frame);
        expect([stream.complete, stream.usage]).toEqual([plain.complete, plain.usage]);
      }
    });

    if (truth.stop === null) {
      test.each(chatDialects.map((other) => [other.id, other] as const))(
        'does not end well in %s',
        (_id, other) => {
          const stream = collect(read(other, write(other, events)));
          expect(stream.error?.message).toBe(collect(events).error?.message ?? '');
          expect(stream.error?.message).toBeTruthy();
          expect(stream.complete).toBe(false);
        },
      );
      return;
    }

    test('is read as what it says', () => {
      const stream = collect(events);
      expectOutcome(stream.reply, expected(wire, truth, []));
      expect(stream.complete).toBe(true);
    });

    test.each(chatDialects.map((other) => [other.id, other] as const))(
      'says the same in %s',
      (_id, other) => {
        fc.assert(
          fc.property(borders, (cuts) => {
            const stream = collect(read(other, write(other, events), cuts));
            expectOutcome(stream.reply, expected(wire, truth, [other.id]));
            expectUsageThrough(stream.reply.usage, collect(events).reply.usage, [other.id]);
            expect(stream.complete).toBe(true);
          }),
          { numRuns: 3 },
        );
      },
    );

    test.each(others(wire).map((other) => [other.id, other] as const))('comes back from %s', (_id, other) => {
      const back = collect(read(own, write(own, read(other, write(other, events)))));
      expectOutcome(back.reply, expected(wire, truth, [other.id, wire]));
      expectUsageThrough(back.reply.usage, collect(events).reply.usage, [other.id, wire]);
    });

    test.each(chatDialects.map((other) => [other.id, other] as const))(
      'is the same as a whole answer in %s',
      (_id, other) => {
        const body = other.codec.writeReply(collect(events).reply, contextOf(other.id));
        const answer = other.codec.readReply(JSON.parse(JSON.stringify(body)) as JsonObject);
        expectOutcome(answer, expected(wire, truth, [other.id]));
        expect(other.dialect.readReply(body).error).toBeNull();
      },
    );
  },
);

const FACTS = {
  model: '',
  stream: true,
  outputCap: null,
  choices: 1,
  prompt: { textBytes: 0, messages: 1, images: [], audioSeconds: 0, files: 0, fileBytes: 0 },
  audioOut: false,
  wantsUsage: true,
  affinity: null,
  previousAnswer: null,
};

// ---- Whole answers -----------------------------------------------------------------------------------------------

describe.each(wholes.map((recording) => [recording.name, recording] as const))('%s', (_name, recording) => {
  const { wire, payloads } = recording;
  const own = dialectOf(wire);
  const [body = {}] = payloads;
  const truth = truthOf(recording, false);
  const reply = own.codec.readReply(body);

  test('is watched as what it says', () => {
    const facts = own.dialect.readReply(body);
    expect(facts.error).toBeNull();
    expect(facts.usage && totals(facts.usage)).toEqual(truth.usage);
  });

  test('is read as what it says', () => {
    expectOutcome(reply, expected(wire, truth, []));
  });

  test.each(chatDialects.map((other) => [other.id, other] as const))('says the same in %s', (_id, other) => {
    const written = other.codec.writeReply(reply, contextOf(other.id));
    const answer = other.codec.readReply(JSON.parse(JSON.stringify(written)) as JsonObject);
    expectOutcome(answer, expected(wire, truth, [other.id]));
    expectUsageThrough(answer.usage, reply.usage, [other.id]);
  });

  test.each(chatDialects.map((other) => [other.id, other] as const))(
    'is the same as a stream in %s',
    (_id, other) => {
      const stream = collect(read(other, write(other, eventsOf(reply))));
      expectOutcome(stream.reply, expected(wire, truth, [other.id]));
    },
  );
});
