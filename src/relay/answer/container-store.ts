/**
 * Containers in which answers of a caller ran, by their ids, and which of them stand in the context of an answer, by that
 * one's. Where nobody remembers one it is a stranger's, and paid for anew. They are kept where answers are: whoever could push
 * one out alone would go on in a large one that is taken for new.
 */
import type { KeptContainer } from '../../core/container-session.ts';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { objectsOf } from '../../dialects/fields.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, ID_MAX, keptName } from './kept-name.ts';

type Memory = Pick<RelayDeps, 'answers'>;
type Noting = Memory & { log: Pick<RelayDeps['log'], 'warn'> };

/** Never rejects: an answer whose container cannot be remembered is given all the same. */
export async function rememberContainer(
  caller: Asker,
  id: string,
  { channelId, keyId, kind, gigabytes, paidSec, usedSec, lastSec }: KeptContainer,
  deps: Noting,
): Promise<void> {
  if (id.length > ID_MAX) return;
  const kept = [channelId, keyId, kind, gigabytes, paidSec, usedSec, lastSec].join(':');
  await put(keptName('container', caller, id), kept, deps);
}

export async function recallContainer(
  caller: Asker,
  id: string,
  { answers }: Memory,
): Promise<KeptContainer | null> {
  const kept = id.length > ID_MAX ? null : await answers.get(keptName('container', caller, id));
  if (kept === null) return null;
  const [channelId, keyId, kind = '', ...numbers] = kept.split(':');
  const [gigabytes = 0, paidSec = 0, usedSec = 0, lastSec = usedSec] = numbers.map(Number);
  return { channelId: Number(channelId), keyId: Number(keyId), kind, gigabytes, paidSec, usedSec, lastSec };
}

/** A container of an answer's context, which may have been left out of that, unless it is sure to be read. */
interface InContext {
  id: string;
  isRead: boolean;
}

/** Never rejects. */
export async function rememberContext(
  caller: Asker,
  answerId: string,
  context: readonly InContext[],
  deps: Noting,
): Promise<void> {
  if (answerId.length > ID_MAX || context.length === 0) return;
  await put(keptName('context', caller, answerId), JSON.stringify(context), deps);
}

export async function recallContext(
  caller: Asker,
  answerId: string,
  { answers }: Memory,
): Promise<InContext[]> {
  const kept = answerId.length > ID_MAX ? null : await answers.get(keptName('context', caller, answerId));
  return objectsOf(kept === null ? [] : parseJson(kept)).flatMap(({ id, isRead }) =>
    typeof id === 'string' ? [{ id, isRead: isRead === true }] : [],
  );
}

async function put(name: string, kept: string, { answers, log }: Noting): Promise<void> {
  try {
    await answers.put(name, kept, limits.answerAffinitySec);
  } catch (error) {
    log.warn('relay.keep_container', { error });
  }
}
