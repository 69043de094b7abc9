/** What is counted of a stream without usage is what would be counted of the same answer in one piece. */
import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { functionCall, plainText, replyOf, words } from '../../../tests/dialects/arbitrary.ts';
import { pieces } from '../../../tests/dialects/bytes.ts';
import { ANYBODY } from '../../../tests/support/tokenizer.ts';
import { eventsOf } from '../../dialects/accumulate.ts';
import type { ReplyContext } from '../../dialects/codec.ts';
import { ConvertingStream } from '../../dialects/converting-stream.ts';
import { splitterFor } from '../../dialects/framing.ts';
import type { ChatReply, Part, PartDelta, StreamEvent } from '../../dialects/neutral.ts';
import { type StreamPassage, samePassage } from '../../dialects/passage.ts';
import { type ChatDialect, chatDialects } from '../../dialects/registry.ts';
import { countProduced } from '../charge/count.ts';
import { StreamMeter } from './meter.ts';

const MODEL = 'gpt-4o';

/** A question in every dialect at once. */
const ASKED = {
  model: MODEL,
  max_tokens: 9,
  messages: [{ role: 'user', content: 'x' }],
  input: 'x',
  contents: [{ role: 'user', parts: [{ text: 'x' }] }],
};

const contextOf = ({ codec }: ChatDialect): ReplyContext => ({
  model: MODEL,
  createdSec: 1_700_000_000,
  requestId: 'r',
  request: codec.readRequest(ASKED, {}),
  wantsUsage: false,
});

const thinkingOf = ({ dialect }: ChatDialect): fc.Arbitrary<Part> =>
  words.map((text) => ({ type: 'thinking', text, origin: dialect.id }));

/** Long enough that many frames are alike. */
const longText: fc.Arbitrary<Part> = fc
  .array(words, { minLength: 10, maxLength: 40 })
  .map((all) => ({ type: 'text', text: all.join(' ') }));

/** A piece of text in pieces, of any number of UTF-16 units: characters may be cut in two. */
function cutDelta(delta: PartDelta, sizes: readonly number[]): PartDelta[] {
  if (!('text' in delta)) return [delta];
  const cut: PartDelta[] = [];
  for (let at = 0, n = 0; at < delta.text.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    cut.push({ ...delta, text: delta.text.slice(at, at + size) });
    at += size;
  }
  return cut;
}

const cutEvent = (event: StreamEvent, sizes: readonly number[]): StreamEvent[] =>
  event.type === 'part-delta' ? cutDelta(event.delta, sizes).map((delta) => ({ ...event, delta })) : [event];

/** The bytes in which an upstream of the dialect streams the answer. */
function streamOf(spoken: ChatDialect, reply: ChatReply, sizes: readonly number[]): Uint8Array {
  const writer = spoken.codec.streamWriter(contextOf(spoken));
  const events = eventsOf(reply).flatMap((event) => cutEvent(event, sizes));
  return Buffer.from(events.map((event) => writer.write(event)).join(''));
}

interface Counts {
  /** By the meter. */
  metered: number;
  /** Of what each frame produced, one behind the other. */
  byFrames: number;
}

async function countsOf(passage: StreamPassage, chunks: readonly Uint8Array[]): Promise<Counts> {
  const splitter = splitterFor('text/event-stream');
  const meter = new StreamMeter(null);
  const all = { text: '', toolCalls: 0 };
  for (const frame of [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]) {
    const { content, produced } = passage.push(frame);
    if (!content) continue;
    if (produced) meter.addProduced(produced);
    else meter.add(frame, passage);
    const { text, toolCalls } = produced ?? passage.produced(frame);
    all.text += text;
    all.toolCalls += toolCalls;
  }
  return {
    metered: await meter.count(MODEL, ANYBODY),
    byFrames: await countProduced(all, MODEL, ANYBODY),
  };
}

/** An answer whose parts are drawn from `of`, and the pieces in which its stream arrives. */
const casesOf = (spoken: ChatDialect, of: fc.Arbitrary<Part>) =>
  replyOf(of, 1)
    .map(
      (reply): ChatReply => ({
        ...reply,
        usage: null,
        choices: reply.choices.map((choice) => ({ ...choice, stop: 'stop' as const, rawStop: undefined })),
      }),
    )
    .chain((reply) =>
      fc
        .array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
        .chain((sizes) =>
          fc.record({ reply: fc.constant(reply), chunks: pieces(streamOf(spoken, reply, sizes)) }),
        ),
    );

describe.each(chatDialects.map((spoken) => [spoken.dialect.id, spoken] as const))(
  'a stream of %s',
  (_, spoken) => {
    const { dialect, codec } = spoken;
    const other = chatDialects.find((one) => one !== spoken) ?? spoken;
    const passing = () => samePassage(dialect).stream(dialect.readRequest(ASKED, {}));
    const converting = () =>
      new ConvertingStream(codec.streamReader(), other.codec.streamWriter(contextOf(other)), null);
    const wholeCount = (reply: ChatReply) => {
      const body = JSON.parse(JSON.stringify(codec.writeReply(reply, contextOf(spoken))));
      return countProduced(dialect.readReply(body).produced(), MODEL, ANYBODY);
    };
    const kinds: [string, fc.Arbitrary<Part>][] = [
      ['text', fc.oneof(plainText, longText)],
      ['thinking', thinkingOf(spoken)],
    ];

    // Of answers of several kinds some dialects tell the whole in another order than the stream.
    it.each(kinds)('is counted as its whole answer of %s, however it is cut', async (_, kind) => {
      await fc.assert(
        fc.asyncProperty(casesOf(spoken, kind), async ({ reply, chunks }) => {
          const whole = await wholeCount(reply);
          expect((await countsOf(passing(), chunks)).metered).toBe(whole);
          expect((await countsOf(converting(), chunks)).metered).toBe(whole);
        }),
      );
    });

    it('is counted as what its frames say, one behind the other, whatever that is', async () => {
      const any = fc.oneof(plainText, longText, functionCall, thinkingOf(spoken));
      await fc.assert(
        fc.asyncProperty(casesOf(spoken, any), async ({ chunks }) => {
          for (const passage of [passing(), converting()]) {
            const { metered, byFrames } = await countsOf(passage, chunks);
            expect(metered).toBe(byFrames);
          }
        }),
      );
    });
  },
);
