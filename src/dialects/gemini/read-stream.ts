/** Streams of generateContent into neutral events. */
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { answerIds, type CallIds, fingerprint } from '../call-ids.ts';
import type { StreamReader } from '../codec.ts';
import { compact, numberOf, objectOf, objectsOf, textOf, writtenSec } from '../fields.ts';
import type { Frame } from '../frames.ts';
import type { StreamEvent } from '../neutral.ts';
import { PartStream } from '../part-stream.ts';
import { ReportedUsage } from '../reported-usage.ts';
import { readStop } from '../stop-words.ts';
import { readCitations, shifted } from './citations.ts';
import { CodeOutput } from './code-output.ts';
import { readError } from './errors.ts';
import { readLogprobs } from './logprobs.ts';
import { bareModel } from './names.ts';
import { PartialArgs } from './partial-args.ts';
import { readAnswered, readPart } from './read-parts.ts';
import { readBlock } from './reply.ts';
import { carries } from './reply-facts.ts';
import { geminiStops } from './stops.ts';
import { reportUsage } from './usage.ts';

/** What is known of one candidate so far. */
interface Candidate {
  text: string;
  /** Length of it before the text part that is open. */
  before: number;
  /** Whether text is what came last, so that a citation or a signature belongs to it. */
  inText: boolean;
  callsTools: boolean;
  code: CodeOutput;
  /** Why it ended; empty while that is unknown. Some models say it in every frame, so that only the last word counts. */
  finish: string;
  /** A call whose arguments come in pieces. */
  call: { key: number; args: PartialArgs } | undefined;
}

export class GeminiReader implements StreamReader {
  readonly #parts = new PartStream();
  readonly #candidates = new Map<number, Candidate>();
  #ids: CallIds | undefined;
  #calls = 0;
  readonly #reported = new ReportedUsage();
  #shown: Usage | null = null;
  #failed = false;
  #ended = false;

  push(frame: Frame): StreamEvent[] {
    const body = parseObject(frame.data);
    if (!body || this.#failed) return [];
    const error = readError(body);
    if (error) {
      this.#failed = true;
      return [compact({ type: 'error', message: error.message, code: error.code, kind: error.type })];
    }
    const candidates = objectsOf(body.candidates);
    if (carries(candidates)) this.#reported.content();
    reportUsage(this.#reported, body.usageMetadata);
    const events = this.#start(body);
    const block = this.#candidates.size === 0 ? readBlock(body) : null;
    if (block) {
      this.#failed = true;
      const { message, code, status } = block;
      return [...events, ...this.#usageEvent(true), { type: 'error', message, code, status }];
    }
    for (const [n, candidate] of candidates.entries()) {
      events.push(...this.#candidate(numberOf(candidate.index) ?? n, candidate));
    }
    events.push(...this.#usageEvent(false));
    return events;
  }

  end(): StreamEvent[] {
    if (this.#ended || this.#failed) return [];
    this.#ended = true;
    const events: StreamEvent[] = [];
    for (const [choice, candidate] of this.#candidates) {
      const { finish: rawStop, callsTools } = candidate;
      if (rawStop !== '') events.push(...this.#endCall(choice, candidate));
      events.push(...this.#parts.close(choice));
      if (rawStop !== '') {
        events.push({ type: 'stop', choice, stop: readStop(geminiStops, rawStop, callsTools), rawStop });
      }
    }
    const candidates = [...this.#candidates.values()];
    const isWhole = candidates.length > 0 && candidates.every(({ finish }) => finish !== '');
    events.push(...this.#usageEvent(isWhole));
    return isWhole ? [...events, { type: 'end' }] : events;
  }

  #start(body: JsonObject): StreamEvent[] {
    if (this.#ids) return [];
    const id = textOf(body.responseId) ?? '';
    this.#ids = answerIds(id || fingerprint(body));
    return [
      {
        type: 'start',
        dialect: 'gemini',
        id,
        model: bareModel(textOf(body.modelVersion) ?? ''),
        created: writtenSec(body.createTime),
        usage: this.#reported.latest,
      },
    ];
  }

  /** The counts, when they are new and speak of all that came. */
  #usageEvent(isWhole: boolean): StreamEvent[] {
    const usage = this.#reported.whole(isWhole);
    if (!usage || usage === this.#shown) return [];
    this.#shown = usage;
    return [{ type: 'usage', usage }];
  }

  #candidate(choice: number, given: JsonObject): StreamEvent[] {
    const candidate = this.#known(choice);
    const events: StreamEvent[] = [];
    for (const part of objectsOf(objectOf(given.content)?.parts)) {
      events.push(...this.#part(choice, candidate, part));
    }
    events.push(...this.#cite(choice, candidate, given));
    const logprobs = readLogprobs(given.logprobsResult);
    if (logprobs) events.push({ type: 'logprobs', choice, logprobs });
    candidate.finish = textOf(given.finishReason) ?? candidate.finish;
    return events;
  }

  #known(choice: number): Candidate {
    const known = this.#candidates.get(choice);
    if (known) return known;
    const candidate = {
      text: '',
      before: 0,
      inText: false,
      callsTools: false,
      code: new CodeOutput(),
      finish: '',
      call: undefined,
    };
    this.#candidates.set(choice, candidate);
    return candidate;
  }

  #part(choice: number, candidate: Candidate, part: JsonObject): StreamEvent[] {
    if (typeof part.text === 'string') {
      const { text, thought } = part;
      const signature = textOf(part.thoughtSignature);
      return thought === true
        ? this.#thought(choice, candidate, text, signature)
        : this.#text(choice, candidate, text, signature);
    }
    candidate.inText = false;
    const call = objectOf(part.functionCall);
    if (call) return this.#call(choice, candidate, part, call);
    const whole = readAnswered(part, this.#ids ?? answerIds(''), candidate.code);
    return this.#parts.whole(choice, whole);
  }

  #text(choice: number, candidate: Candidate, text: string, signature: string | undefined): StreamEvent[] {
    const events = this.#parts.text(choice, text);
    if (!candidate.inText) candidate.before = candidate.text.length;
    candidate.text += text;
    candidate.inText ||= text !== '';
    if (signature === undefined) return events;
    candidate.inText = true;
    const delta = { type: 'signature' as const, signature };
    return [...events, ...this.#parts.piece(choice, 'text', { type: 'text', text: '' }, delta)];
  }

  #thought(choice: number, candidate: Candidate, text: string, signature: string | undefined): StreamEvent[] {
    const events = this.#parts.thinking(choice, text, { origin: 'gemini' });
    if (text !== '') candidate.inText = false;
    if (signature === undefined) return events;
    candidate.inText = false;
    const delta = { type: 'signature' as const, signature };
    const begin = { type: 'thinking' as const, text: '', origin: 'gemini' as const };
    return [...events, ...this.#parts.piece(choice, 'thinking', begin, delta)];
  }

  /** A call comes whole, or begins with its name and goes on in nameless pieces until one does not promise more. */
  #call(choice: number, candidate: Candidate, part: JsonObject, call: JsonObject): StreamEvent[] {
    const events: StreamEvent[] = [];
    if (textOf(call.name)) {
      events.push(...this.#endCall(choice, candidate));
      const whole = readPart(part, this.#ids ?? answerIds(''));
      if (whole.type !== 'tool-call') return events;
      const { type: _type, input: _input, ...begin } = whole;
      candidate.callsTools = true;
      candidate.call = { key: this.#calls++, args: new PartialArgs() };
      events.push(...this.#parts.tool(choice, candidate.call.key, begin));
    }
    if (!candidate.call) return events;
    candidate.call.args.add(call.partialArgs);
    candidate.call.args.assign(objectOf(call.args));
    return call.willContinue === true ? events : [...events, ...this.#endCall(choice, candidate)];
  }

  #endCall(choice: number, candidate: Candidate): StreamEvent[] {
    const { call } = candidate;
    if (!call) return [];
    candidate.call = undefined;
    return [
      ...this.#parts.toolInput(choice, call.key, call.args.json),
      ...this.#parts.endTool(choice, call.key),
    ];
  }

  /** Sources come at the end, for the text that stands before them. */
  #cite(choice: number, candidate: Candidate, given: JsonObject): StreamEvent[] {
    if (!candidate.inText || !(given.groundingMetadata || given.citationMetadata)) return [];
    const { text, before } = candidate;
    return readCitations(given, text)
      .filter(({ end = text.length }) => end > before)
      .map((citation) => shifted(citation, before))
      .flatMap((citation) =>
        this.#parts.piece(choice, 'text', { type: 'text', text: '' }, { type: 'citation', citation }),
      );
  }
}
