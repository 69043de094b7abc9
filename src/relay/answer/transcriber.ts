/** The model that writes down what is heard in a session, where the caller asks for one beside that which answers. */
import { type AppError, fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { asIs } from '../../core/text.ts';
import { transcribersIn, withTranscriber } from '../../dialects/plain/realtime-sent.ts';
import { mayUseModel } from '../../modules/token/callers.ts';
import type { Call } from '../charge/call.ts';
import { priceBeside } from '../charge/reserve.ts';
import type { RelayDeps } from '../deps.ts';
import type { SessionMeter } from './session-meter.ts';

/** What services take that are not told which. */
const USUAL = 'whisper-1';

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
  /** The upstream's name of the session's model. */
  model: string;
  meter: Pick<SessionMeter, 'transcriber' | 'transcribeBy'>;
}

/**
 * The event, which names one model wherever it asks for something to be written down: the session's own, or the one that
 * the session was priced with. Throws where the caller may not use it, nothing prices it, or the session has another one.
 */
export function withOneTranscriber(
  event: JsonObject,
  { call, model: upstreams, meter }: Transcribing,
  deps: Pick<RelayDeps, 'channels' | 'options'>,
): JsonObject {
  const { caller, quote, request } = call;
  const asked = transcribersIn(event);
  // With his own key, the caller pays the supplier.
  if (asked.length === 0 || quote.source === 'own_key') return event;
  const known = meter.transcriber;
  const isOwn = (name: string) => name === request.facts.model || name === upstreams;
  const names = asked.map((name) => name ?? known ?? USUAL).map((name) => (isOwn(name) ? upstreams : name));
  const [name = USUAL] = names;
  if (names.some((other) => other !== (known ?? name))) throw another(known ?? name);
  if (known === undefined) {
    if (!isOwn(name)) checkUse(name, caller, deps);
    meter.transcribeBy(name, isOwn(name) ? null : priceBeside(name, caller, deps));
  }
  return withTranscriber(event, name);
}

/** Throws what keeps the caller from the model, in the words of a call of it. */
function checkUse(model: string, caller: Call['caller'], { channels }: Pick<RelayDeps, 'channels'>): void {
  const params = { group: asIs(caller.group), model: asIs(model) };
  if (!mayUseModel(caller, model)) throw fail('model_not_allowed', { params });
  if (channels.tiers(caller.group, model).length > 0) return;
  throw fail(channels.knows(model) ? 'no_available_channel' : 'model_not_found', { params });
}
