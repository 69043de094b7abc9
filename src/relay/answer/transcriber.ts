/** The model that writes down what is heard in a session, where the caller asks for one beside that which answers. */
import { type AppError, fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Price } from '../../core/price-formula.ts';
import { asIs } from '../../core/text.ts';
import { transcribersIn, withTranscriber } from '../../dialects/plain/realtime-sent.ts';
import { mayUseModel } from '../../modules/token/callers.ts';
import type { Call } from '../charge/call.ts';
import { priceBeside, priceMissing } from '../charge/reserve.ts';
import type { RelayDeps } from '../deps.ts';
import type { SocketAnswer } from './answers.ts';

/** What services take that are not told which. */
const USUAL = 'whisper-1';

/** The model that the caller has named for it. */
export interface Transcriber {
  model: string;
  /** Its name at the session's upstream. */
  upstream: string;
  /** Null for the session's own model, at the session's price. */
  price: Price | null;
}

const another = (model: string): AppError =>
  fail('invalid_request', {
    params: {
      reason: {
        zh: `此会话由模型 ${model} 转写，不能更换`,
        en: `This session is transcribed by the model ${model}, and by no other one.`,
      },
    },
  });

/** Where its events go, and at whose price. */
export interface Transcribing {
  call: Pick<Call, 'caller' | 'quote'> & { request: { facts: { model: string } } };
  answer: Pick<SocketAnswer, 'candidate' | 'model' | 'nameOf'>;
  meter: { readonly transcriber: Transcriber | undefined };
}

/** An event as it goes up, and who writes down what the session hears once it has. */
export interface TranscribedEvent {
  event: JsonObject;
  transcriber: Transcriber | undefined;
}

/**
 * The event, which names one model wherever it asks for something to be written down, by its upstream's name: the
 * session's own, or another one of its channel. Where it names none, it is the one that the session has already or the
 * usual one, or else the service's own choice. Throws where the caller may not use the model, the channel does not list
 * it, nothing prices it, or the session has another one.
 */
export function withOneTranscriber(
  event: JsonObject,
  session: Transcribing,
  deps: Pick<RelayDeps, 'channels' | 'options'>,
): TranscribedEvent {
  const { call, answer, meter } = session;
  const known = meter.transcriber;
  const asked = transcribersIn(event);
  // With his own key, the caller pays the supplier.
  if (asked.length === 0 || call.quote.source === 'own_key') return { event, transcriber: known };
  const own: Transcriber = { model: call.request.facts.model, upstream: answer.model, price: null };
  const names = asked.flatMap((name) => {
    if (name === null) return [];
    return [known, own].find((each) => each?.model === name || each?.upstream === name)?.model ?? name;
  });
  const name = known?.model ?? names[0];
  if (name !== undefined && names.some((other) => other !== name)) throw another(name);
  const transcriber = known ?? (name === undefined ? usual(session, deps) : named(name, session, own, deps));
  return { event: withTranscriber(event, transcriber?.upstream), transcriber };
}

function named(
  model: string,
  { call: { caller }, answer }: Transcribing,
  own: Transcriber,
  { channels, options }: Pick<RelayDeps, 'channels' | 'options'>,
): Transcriber {
  if (model === own.model) return own;
  const params = { group: asIs(caller.group), model: asIs(model) };
  if (!mayUseModel(caller, model)) throw fail('model_not_allowed', { params });
  // Another channel's account cannot do it for this session. What is kept is the channel's word, and not the event's.
  const listed = answer.candidate.channel.models.find((each) => each === model);
  if (listed === undefined) {
    throw fail(channels.knows(model) ? 'no_available_channel' : 'model_not_found', { params });
  }
  const price = priceBeside(model, caller, { options });
  if (!price) throw priceMissing(model, 'any');
  return { model: listed, upstream: answer.nameOf(listed), price };
}

/** Nobody has asked for it by name, so that nothing is refused where it cannot be had. */
function usual(
  { call: { caller }, answer }: Transcribing,
  { options }: Pick<RelayDeps, 'options'>,
): Transcriber | undefined {
  if (!mayUseModel(caller, USUAL) || !answer.candidate.channel.models.includes(USUAL)) return undefined;
  const price = priceBeside(USUAL, caller, { options });
  return price ? { model: USUAL, upstream: answer.nameOf(USUAL), price } : undefined;
}
