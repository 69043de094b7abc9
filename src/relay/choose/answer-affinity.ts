/** A call that builds upon what an upstream keeps of earlier answers goes to the account that has it. */
import { callersSet } from '../../core/callers-keys.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import { mayGoOn } from '../../dialects/continuations.ts';
import type { AnswerSize, KnownContainer, RequestFacts, SpokenByName } from '../../dialects/dialect.ts';
import type { Tier } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { type KeptAnswer, recallAffinity, recallSounds } from '../answer/affinity-store.ts';
import { recallClaudeContainer, recallContainers, recallContexts } from '../answer/container-store.ts';
import { recallItems } from '../answer/item-store.ts';
import { type Asker, ID_MAX } from '../answer/kept-name.ts';
import { recallThoughts } from '../answer/thought-store.ts';
import { withThoughts } from '../charge/estimate.ts';
import { type UpstreamOf, upstreamsOf } from '../charge/upstreams.ts';
import type { RelayDeps } from '../deps.ts';
import { sharing, withSharedContext } from './eligible.ts';
import { noChannel } from './no-channel.ts';

type Named = { facts: RequestFacts };
type Memory = Pick<RelayDeps, 'answers' | 'pieces'>;
type Log = { log: Pick<RelayDeps['log'], 'warn'> };

/**
 * The request with what is known of all that it names but the answer upon which it builds: how long its thoughts, its sounds
 * and its items of earlier answers are, and where sounds, items and containers are kept.
 */
export async function withWhatIsKept<R extends Named>(
  request: R,
  caller: Asker,
  deps: Memory & Log,
): Promise<R> {
  const { keptThoughts, prompt } = request.facts;
  const known = keptThoughts
    ? withThoughts(request, await recallThoughts(caller, keptThoughts, deps))
    : request;
  const heard = prompt.spoken ? await withSounds(known, prompt.spoken, caller, deps) : known;
  const named = await withClaudeContainer(await withItemsKnown(heard, caller, deps), caller, deps);
  return withContainersKnown(named, caller, deps);
}

/** The one in which an answer of the caller's ran; any other one is a stranger's. */
async function withClaudeContainer<R extends Named>(request: R, caller: Asker, deps: Memory): Promise<R> {
  const { facts } = request;
  const { claudeContainer: named } = facts;
  if (!named) return request;
  const keptBy = await recallClaudeContainer(caller, named.id, deps);
  if (!keptBy) return { ...request, facts: withSharedContext(facts, named.at) };
  return { ...request, facts: { ...facts, claudeContainer: { ...named, keptBy } } };
}

/** Whoever shares the account may name an item that is not of one of the caller's answers. */
async function withItemsKnown<R extends Named>(request: R, caller: Asker, deps: Memory): Promise<R> {
  const { namedItems } = request.facts;
  if (!namedItems) return request;
  const { answers: namedAnswers, stranger } = await recallItems(caller, namedItems, deps);
  const facts = { ...request.facts, namedAnswers };
  return { ...request, facts: stranger ? withSharedContext(facts, stranger) : facts };
}

/**
 * Those in which answers of the caller ran, named or in the context upon which he builds; any other one is a stranger's. Of
 * an answer that he names by its items those are sure to be read in which one of these ran.
 */
async function withContainersKnown<R extends Named>(request: R, caller: Asker, deps: Memory): Promise<R> {
  const { containers: named = [], previousAnswer, namedAnswers = [] } = request.facts;
  const upon = previousAnswer === null ? [] : [previousAnswer];
  const answers = [...upon, ...namedAnswers.map(({ id }) => id)];
  const ranIn = new Map(namedAnswers.flatMap(({ ranIn = [] }) => [...ranIn]));
  if (named.length + answers.length === 0) return request;
  const contexts = await recallContexts(caller, answers, deps);
  const before = answers.flatMap((answer) =>
    (contexts.get(answer) ?? []).map(({ id, isRead }) => {
      const item = answer === previousAnswer ? undefined : ranIn.get(id);
      return { id, item, isRead: isRead && (answer === previousAnswer || item !== undefined) };
    }),
  );
  if (named.length + before.length === 0) return request;
  // However many are named, those before are held for.
  const ids = [...callersSet([...before, ...named].map(({ id }) => id))].slice(0, limits.containersLookedUp);
  const remembered = await recallContainers(caller, ids, deps);
  const known = (id: string, as: Omit<KnownContainer, 'id' | 'kept'>): KnownContainer[] => {
    const kept = remembered.get(id);
    return kept ? [{ id, ...as, kept }] : [];
  };
  const knownContainers = [
    ...named.flatMap(({ id, at }) => known(id, { at })),
    ...before.flatMap(({ id, isRead, item }) =>
      known(id, { before: isRead ? 'read' : 'perhaps-read', ...(item !== undefined && { item }) }),
    ),
  ];
  const stranger = named.find(({ id }) => !remembered.get(id));
  const facts = { ...request.facts, knownContainers };
  return { ...request, facts: stranger ? withSharedContext(facts, stranger.at) : facts };
}

/** A sound that was not spoken for its caller is of whoever shares the account: only the operator can allow that. */
async function withSounds<R extends Named>(
  request: R,
  named: readonly SpokenByName[],
  caller: Asker,
  deps: Memory,
): Promise<R> {
  const ids = named.flatMap(({ id }) => id ?? []);
  const kept = await recallSounds(caller, ids, deps);
  const spoken = named.map((each): SpokenByName => {
    const keptBy = each.id === null ? null : kept.get(each.id);
    return keptBy ? { ...each, tokens: keptBy.tokens, keptBy } : each;
  });
  const stranger = spoken.find(({ keptBy }) => !keptBy);
  const { facts } = request;
  const shared = stranger && { sharedContext: facts.sharedContext ?? stranger.at };
  return { ...request, facts: { ...facts, prompt: { ...facts.prompt, spoken }, ...shared } };
}

/**
 * Those of the channels that have the sounds, containers and items which it names, and the request as it is for them.
 * Elsewhere a sound is a name like any other, and a container or an item a stranger's. Throws what stands in the way.
 */
export function among<R extends Named>(
  tiers: readonly Tier[],
  request: R,
): { tiers: readonly Tier[]; request: R } {
  let { facts } = request;
  let left = (facts.prompt.spoken ?? []).reduce(
    (those, { keptBy }) => (keptBy && keptAt(those, keptBy)) ?? those,
    sharing(facts.sharedContext, tiers),
  );
  const { knownContainers = [], claudeContainer: claudes, namedAnswers = [] } = facts;
  const containers = knownContainers.flatMap(({ at, kept }) =>
    at === undefined ? [] : [{ at, keptBy: kept }],
  );
  const ofClaude = claudes?.keptBy ? [{ at: claudes.at, keptBy: claudes.keptBy }] : [];
  for (const { at, keptBy } of [...containers, ...ofClaude, ...namedAnswers]) {
    const keeping = keptAt(left, keptBy);
    if (!keeping) facts = withSharedContext(facts, at);
    left = keeping ?? sharing(at, left);
  }
  return { tiers: left, request: { ...request, facts } };
}

/** The channels that may serve a call, and what each is asked for. */
interface Asked {
  tiers: readonly Tier[];
  upstreamOf: UpstreamOf;
}

interface Built<R> {
  tiers: readonly Tier[];
  request: R;
  earlier: AnswerSize | null;
}

/**
 * The one key, among the channels that may serve the call, which gave the answer that it builds upon, and the size of that;
 * all of them where it builds upon none. Throws what stands in the way.
 */
export async function byAnswerAffinity<R extends Named>(
  caller: Asker & Pick<Caller, 'group'>,
  request: R,
  { tiers, upstreamOf }: Asked,
  deps: Memory & Log,
): Promise<Built<R>> {
  const { previousAnswer: id, continues, model } = request.facts;
  if (continues) return goingOn(caller, request, { tiers, upstreamOf }, deps);
  if (id === null) return { tiers, request, earlier: null };
  const kept = await recallAffinity('answer', caller, id, deps);
  if (kept === null) {
    throw fail('previous_response_not_found', {
      field: 'previous_response_id',
      params: { id: asIs(id.slice(0, ID_MAX)) },
    });
  }
  const keeping = keptAt(tiers, kept);
  if (!keeping) throw noChannel(caller, model);
  return { tiers: keeping, request, earlier: kept };
}

/**
 * Whoever has a token was given what it stands for, as with all that models have sealed: one that nobody remembers goes up as
 * it comes, held as a context. Nobody waits for an account that is gone: it may be that any other one takes it.
 */
async function goingOn<R extends Named>(
  caller: Asker,
  request: R,
  { tiers, upstreamOf }: Asked,
  deps: Memory & Log,
): Promise<Built<R>> {
  const { continues, ...others } = request.facts;
  const { names } = upstreamsOf(others.model, tiers, upstreamOf);
  const token = continues && mayGoOn(continues, names) ? continues : null;
  const kept = token && (await recallContinued(caller, token.digest, deps));
  // What proves thoughts names nothing that an account keeps.
  if (!token || !(kept || token.isCertain))
    return { tiers, request: { ...request, facts: others }, earlier: null };
  const { facts } = request;
  const { prompt } = facts;
  const isAlone = !prompt.unseen;
  const unseen = { ...prompt, unseen: true, ...(isAlone && { earlier: null }) };
  return {
    tiers: (kept && keptAt(tiers, kept)) ?? tiers,
    request: { ...request, facts: { ...facts, prompt: unseen } },
    earlier: kept,
  };
}

const recallContinued = (caller: Asker, digest: string, deps: Memory & Log) =>
  recallAffinity('continued', caller, digest, deps).catch((error) => {
    deps.log.warn('relay.recall_answer', { error });
    return null;
  });

type Keeping = Pick<KeptAnswer, 'channelId' | 'keyId'>;

/** The one key among those of the channels; null where it is not among them. */
function keptAt(tiers: readonly Tier[], { channelId, keyId }: Keeping): readonly Tier[] | null {
  for (const { priority, channels } of tiers) {
    const channel = channels.find((each) => each.id === channelId);
    const keys = channel?.keys.filter((key) => key.id === keyId) ?? [];
    if (channel && keys.length > 0) return [{ priority, channels: [{ ...channel, keys }] }];
  }
  return null;
}
