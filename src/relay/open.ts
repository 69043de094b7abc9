/** Opens what the relay keeps in memory. */

import { limits } from '../core/limits.ts';
import { CHANNEL_STATUS } from '../modules/channel/facts.ts';
import { ChannelQuarters } from '../modules/channel/quarters.ts';
import { createChannelSnapshot } from '../modules/channel/snapshot.ts';
import { createOwnKeys } from '../modules/custom-model/service.ts';
import type { Deps } from '../modules/deps.ts';
import { FailureLog } from '../modules/log/failures.ts';
import { keepBalances } from '../modules/token/balance.ts';
import { createCallers } from '../modules/token/callers.ts';
import { BodyBudget } from '../platform/body-budget.ts';
import { ComingBodies } from '../platform/coming-bodies.ts';
import { createCutList } from '../platform/cut.ts';
import { createLookups } from '../platform/lookups.ts';
import { memoryOneTimeStore } from '../platform/memory-stores.ts';
import { bodiesWithin } from '../platform/open-files.ts';
import { DrainGate } from './answer/drain.ts';
import { LackedRoom } from './answer/lacked-room.ts';
import { SessionTurns } from './answer/session-turns.ts';
import { SocketLimit } from './answer/socket-limit.ts';
import { MediaTurns } from './attempt/body/media-turns.ts';
import { createDialer } from './attempt/dial.ts';
import { createProbe } from './attempt/probe.ts';
import { Suspects } from './charge/suspects.ts';
import { halfOpenProbe } from './choose/call-result.ts';
import { CircuitBreakers } from './choose/circuit-breaker.ts';
import { disableBroken } from './choose/disable.ts';
import { KeyTurns } from './choose/key-turns.ts';
import { OwnBreakers } from './choose/own-breakers.ts';
import { accountTest, shareTests } from './choose/own-tests.ts';
import { UserBudgets } from './choose/retry-budget.ts';
import { channelSeen, keySeen, Witnesses } from './choose/witnesses.ts';
import type { RelayDeps } from './deps.ts';
import { BodyTurns } from './entry/body-turns.ts';
import { CallGate, callsWithin } from './entry/call-gate.ts';
import { createPictureTurns } from './entry/drawing-reads.ts';
import { FilePlaces } from './entry/file-places.ts';
import { ToolIds } from './entry/tool-ids.ts';

/** Rejects when the database cannot be read. */
export async function openRelay(deps: Deps, openFiles: number | null): Promise<RelayDeps> {
  const { metrics, stopping } = deps;
  const drains = new DrainGate();
  const sockets = new SocketLimit();
  const calls = new CallGate(callsWithin(openFiles));
  const { calls: comingMost } = bodiesWithin(openFiles);
  const coming = new ComingBodies(() => comingMost + calls.free);
  deps.log.info('relay.room', { open_files: openFiles, calls: calls.most });
  const bodiesByNetwork = new BodyBudget(deps.bodies.most);
  const uploads = new BodyBudget(limits.uploadsOnDiskBytes);
  const uploadsByNetwork = new BodyBudget(limits.uploadsOnDiskBytes);
  const answersHeld = new BodyBudget(limits.answersInMemoryBytes);
  const answersByNetwork = new BodyBudget(limits.answersInMemoryBytes);
  const picturesHeld = new BodyBudget(limits.picturesInMemoryBytes);
  metrics.gauge('tollgate_streams_draining', 'Streams read on after their caller left.', () => drains.open);
  metrics.gauge('tollgate_bodies_coming', 'Bodies on their way to calls.', () => coming.open);
  metrics.gauge('tollgate_upload_bytes', 'Forms with files on disk.', () => uploads.bytes);
  metrics.gauge('tollgate_answer_bytes', 'Whole answers in memory.', () => answersHeld.bytes);
  metrics.gauge('tollgate_calls_open', 'Calls under way.', () => calls.open);
  metrics.gauge('tollgate_sockets', 'Websockets of callers.', () => sockets.open);
  const channels = await createChannelSnapshot(deps);
  const breakers = new CircuitBreakers();
  // No test of ours asks for what is free, and nothing is taken out of service for it.
  const ofFree: RelayDeps['ofFree'] = {
    breakers: new CircuitBreakers(),
    ownBreakers: new OwnBreakers(),
    witnesses: new Witnesses(),
    turns: new KeyTurns(),
    retries: new UserBudgets(),
  };
  metrics.gauge('tollgate_resting', 'Channels and keys left alone for a model.', () => breakers.openCount);
  deps.changes.on('channels', (id) => {
    const changed = id === undefined ? undefined : channels.byId(Number(id));
    // One that was just disabled may still be thought of by calls that found it before.
    if (changed?.status !== CHANNEL_STATUS.enabled) return;
    breakers.forget(changed);
    ofFree.breakers.forget(changed);
  });
  const ownBreakers = new OwnBreakers();
  deps.changes.on('custom_models', (id) => {
    const userId = id === undefined ? undefined : Number(id);
    ownBreakers.forget(userId);
    ofFree.ownBreakers.forget(userId);
  });
  const relay: RelayDeps = {
    ...deps,
    callers: createCallers(deps),
    failures: new FailureLog(deps),
    balances: keepBalances(deps),
    channels,
    dialer: createDialer(deps.outgoing),
    mediaTurns: new MediaTurns(),
    // A flood of answers must not push the codes of people out of a table that both share.
    answers: deps.redis?.oneTime ?? memoryOneTimeStore(Date.now, limits.keptInMemoryBytes),
    pieces: deps.redis?.oneTime ?? memoryOneTimeStore(Date.now, limits.keptInMemoryBytes),
    quarters: new ChannelQuarters(deps),
    breakers,
    ownBreakers,
    witnesses: new Witnesses(),
    disabling: new Set(),
    suspects: {
      suspect: new Suspects(),
      unasked: new Suspects(),
      untold: new Suspects(limits.untoldWindowMs),
    },
    accountTest: accountTest({ account: (...asked) => createProbe(relay).account(...asked) }, deps.options),
    ownTest: shareTests({ test: (...asked) => createProbe(relay).test(...asked) }, deps.options),
    ownKeys: createOwnKeys(deps),
    turns: new KeyTurns(),
    retries: new UserBudgets(),
    unopened: new UserBudgets(),
    ofFree,
    drains,
    sockets,
    sessionTurns: new SessionTurns(),
    calls,
    coming,
    bodyTurns: new BodyTurns(),
    bodiesByNetwork,
    uploads,
    uploadsByNetwork,
    answersHeld,
    answersByNetwork,
    lackedRoom: new LackedRoom(),
    drawings: createLookups(deps, 'drawings'),
    picturesHeld,
    pictureTurns: createPictureTurns(),
    filePlaces: new FilePlaces(),
    toolIds: new ToolIds(),
    cut: createCutList(stopping),
  };
  breakers.probe = halfOpenProbe(relay.ownTest);
  breakers.isWitnessed = ({ channel, key }, of) =>
    relay.witnesses.areEnough(of === 'channel' ? channelSeen(channel) : keySeen(key));
  breakers.onBroken = (candidate, reason) => disableBroken(candidate, reason, relay);
  return relay;
}
