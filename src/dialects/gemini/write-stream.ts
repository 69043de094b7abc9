/** Neutral events into a stream of generateContent: every frame is an answer of its own that holds what came since. */
import { innerObject } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { weightOf } from '../../core/json-weight.ts';
import type { Usage } from '../../core/usage.ts';
import { joinBase64 } from '../accumulate.ts';
import type { ReplyContext, StreamWriter } from '../codec.ts';
import { compact } from '../fields.ts';
import { keptIn, keptOf } from '../kept-parts.ts';
import type { Citation, Part, PartDelta, StreamEvent } from '../neutral.ts';
import { writeStop } from '../stop-words.ts';
import { Grounding } from './citations.ts';
import { dataFrame, statusWord } from './errors.ts';
import { writeLogprobs } from './logprobs.ts';
import { geminiStops } from './stops.ts';
import { writeUsage } from './usage.ts';
import { writePart } from './write-parts.ts';

/** An open part with what must wait for its end: proofs, arguments, citations. */
interface Open {
  part: Part;
  text: string;
  citations: Citation[];
  /** Bytes of all this. */
  kept: number;
}

interface Waiting {
  index: number;
  /** Null while pieces of it may come. */
  whole: Part | null;
}

interface Ending {
  finishReason?: string;
  /** Calls in the order in which they began, by which clients know them: several may be under way at once. */
  calls: Waiting[];
  bytes: number;
  grounding: Grounding;
}

const TO_CALLER = {
  ...{ forModel: false, own: false, filesInResults: true },
  ...{ objectIn: innerObject, drop: () => undefined },
};

export class GeminiWriter implements StreamWriter {
  readonly #context: ReplyContext;
  readonly #open = new Map<number, Open>();
  readonly #endings = new Map<number, Ending>();
  #id: string;
  #usage: Usage | null = null;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#id = context.requestId;
  }

  get heldBytes(): number {
    let bytes = keptIn(this.#open);
    for (const { calls } of this.#endings.values()) {
      for (const { whole } of calls) if (whole) bytes += weightOf(whole);
    }
    return bytes;
  }

  write(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        this.#id = event.id || this.#id;
        this.#usage = event.usage ?? this.#usage;
        return '';
      case 'part-start':
        return this.#begin(event.choice, event.index, event.part);
      case 'part-delta':
        return this.#delta(event.choice, event.index, event.delta);
      case 'part-end':
        return this.#finish(event.choice, event.index);
      case 'logprobs':
        return this.#frame([compact({ index: event.choice, logprobsResult: writeLogprobs(event.logprobs) })]);
      case 'stop':
        this.#ending(event.choice).finishReason = writeStop(geminiStops, event.stop);
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        return dataFrame({ error: { code: 500, message: event.message, status: statusWord(500) } });
      case 'end':
        return this.#end();
    }
  }

  /** What comes in pieces waits for them; anything else is said at once. */
  #begin(choice: number, index: number, part: Part): string {
    const { calls } = this.#ending(choice);
    if (part.type === 'tool-call') calls.push({ index, whole: null });
    this.#open.set(index, { part, text: '', citations: [], kept: weightOf(part) });
    return COMES_IN_PIECES.has(part.type) ? '' : this.#say(choice, part);
  }

  #delta(choice: number, index: number, delta: PartDelta): string {
    const open = this.#open.get(index);
    if (!open) return '';
    const { part } = open;
    // Thoughts are said at once.
    if (delta.type !== 'thinking') open.kept += keptOf(delta);
    switch (delta.type) {
      case 'text':
      case 'refusal':
        open.text += delta.text;
        return this.#parts(choice, [{ text: delta.text }]);
      case 'thinking':
        return this.#parts(choice, [{ text: delta.text, thought: true }]);
      case 'input':
        if (part.type === 'tool-call') open.part = { ...part, input: part.input + delta.text };
        return '';
      case 'signature':
        open.part = signed(part, delta.signature);
        return '';
      case 'encrypted':
        if (part.type === 'thinking') open.part = { ...part, encrypted: delta.encrypted };
        return '';
      case 'citation':
        open.citations.push(delta.citation);
        return '';
      case 'audio':
        if (part.type === 'audio' && part.source.kind === 'data' && delta.data !== undefined) {
          open.part = { ...part, source: { ...part.source, data: joinBase64(part.source.data, delta.data) } };
        }
        return '';
    }
  }

  #finish(choice: number, index: number): string {
    const open = this.#open.get(index);
    if (!open) return '';
    this.#open.delete(index);
    const { part, text, citations } = open;
    const ending = this.#ending(choice);
    if (part.type === 'text') {
      for (const citation of citations) ending.grounding.add(citation, text, ending.bytes);
      ending.bytes += Buffer.byteLength(text);
      return part.signature === undefined ? '' : this.#say(choice, { ...part, text: '' });
    }
    if (part.type === 'tool-call') return this.#sayCalls(choice, { index, whole: part });
    if (part.type === 'audio') return this.#say(choice, part);
    if (part.type !== 'thinking') return '';
    const written = writePart({ ...part, text: '' }, TO_CALLER);
    return written?.thoughtSignature === undefined ? '' : this.#parts(choice, [written]);
  }

  /** Says a whole call, and those that waited for it; it waits itself while an earlier one is not whole. */
  #sayCalls(choice: number, { index, whole }: Waiting): string {
    const { calls } = this.#ending(choice);
    const call = calls.find((waiting) => waiting.index === index);
    if (call) call.whole = whole;
    let text = '';
    while (calls[0]?.whole) {
      text += this.#say(choice, calls[0].whole);
      calls.shift();
    }
    return text;
  }

  #ending(choice: number): Ending {
    const known = this.#endings.get(choice);
    if (known) return known;
    const ending: Ending = { calls: [], bytes: 0, grounding: new Grounding() };
    this.#endings.set(choice, ending);
    return ending;
  }

  #say(choice: number, part: Part): string {
    const written = writePart(part, TO_CALLER);
    return written ? this.#parts(choice, [written]) : '';
  }

  #parts = (choice: number, parts: JsonObject[]): string =>
    this.#frame([{ content: { parts, role: 'model' }, index: choice }]);

  #frame(candidates: JsonObject[], usage?: Usage | null): string {
    return dataFrame(
      compact<JsonObject>({
        candidates,
        usageMetadata: usage ? writeUsage(usage) : undefined,
        modelVersion: this.#context.model,
        responseId: this.#id,
      }),
    );
  }

  #end(): string {
    if (this.#endings.size === 0) this.#ending(0);
    const candidates = [...this.#endings].map(([index, { finishReason, grounding }]) =>
      compact<JsonObject>({
        content: { parts: [{ text: '' }], role: 'model' },
        finishReason: finishReason ?? 'STOP',
        index,
        groundingMetadata: grounding.metadata,
      }),
    );
    return this.#frame(candidates, this.#usage);
  }
}

const signed = (part: Part, signature: string): Part =>
  part.type === 'text' || part.type === 'thinking' || part.type === 'tool-call'
    ? { ...part, signature }
    : part;

const COMES_IN_PIECES: ReadonlySet<Part['type']> = new Set([
  'text',
  'thinking',
  'refusal',
  'tool-call',
  'audio',
]);
