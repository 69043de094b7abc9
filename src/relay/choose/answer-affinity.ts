/** A call that builds upon an answer goes to the account that keeps it. */
import { CallersMap, callersSet } from '../../core/callers-keys.ts';
import { fail } from '../../core/errors.ts';
import { asIs } from '../../core/text.ts';
import type { RequestFacts, SpokenByName } from '../../dialects/dialect.ts';
import type { Tier } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { type Asker, ID_MAX, type KeptAnswer, recallAffinity } from '../answer/affinity-store.ts';
import type { AnswerSize } from '../charge/estimate.ts';
import type { RelayDeps } from '../deps.ts';
import { noChannel } from './no-channel.ts';

/** The one key, among the channels that may serve the call, which gave the answer, and its size. Throws what stands in the way. */
export async function byAnswerAffinity(
  caller: Caller,
  { id, model }: { id: string; model: string },
  tiers: readonly Tier[],
  deps: Pick<RelayDeps, 'answers'>,
): Promise<{ tiers: readonly Tier[]; earlier: AnswerSize }> {
  const kept = await recallAffinity('answer', caller, id, deps);
  if (kept === null) {
    throw fail('previous_response_not_found', {
      field: 'previous_response_id',
      params: { id: asIs(id.slice(0, ID_MAX)) },
    });
  }
  const keeping = keptAt(tiers, kept);
  if (!keeping) throw noChannel(caller, model);
  return { tiers: keeping, earlier: kept };
}

/** The one key among those of the channels; null where it is not among them. */
function keptAt(tiers: readonly Tier[], { channelId, keyId }: KeptAnswer): readonly Tier[] | null {
  for (const { priority, channels } of tiers) {
    const channel = channels.find((each) => each.id === channelId);
    const keys = channel?.keys.filter((key) => key.id === keyId) ?? [];
    if (channel && keys.length > 0) return [{ priority, channels: [{ ...channel, keys }] }];
  }
  return null;
}

/**
 * The request with how long the sounds are that it names, and, among the channels that may serve it, those that have them.
 * One that was not spoken for its caller is of whoever shares the account: only the operator can allow that.
 */
export async function bySounds<R extends { facts: RequestFacts }>(
  request: R,
  caller: Asker,
  deps: Pick<RelayDeps, 'answers'>,
): Promise<{ request: R; among(tiers: readonly Tier[]): readonly Tier[] }> {
  const { facts } = request;
  const named = facts.prompt.spoken;
  if (!named) return { request, among: (tiers) => tiers };
  const ids = [...callersSet(named.flatMap(({ id }) => id ?? []))];
  const found = await Promise.all(ids.map((id) => recallAffinity('sound', caller, id, deps)));
  const kept = new CallersMap<KeptAnswer | null>();
  for (const [at, id] of ids.entries()) kept.set(id, found[at] ?? null);
  const of = ({ id }: SpokenByName) => (id === null ? null : (kept.get(id) ?? null));
  const stranger = named.find((each) => !of(each));
  const spoken = named.map((each) => ({ ...each, tokens: of(each)?.tokens ?? null }));
  const shared = stranger && { sharedContext: facts.sharedContext ?? stranger.at };
  return {
    request: { ...request, facts: { ...facts, prompt: { ...facts.prompt, spoken }, ...shared } },
    // Elsewhere it is a name like any other.
    among: (tiers) => found.reduce((left, each) => (each && keptAt(left, each)) ?? left, tiers),
  };
}
