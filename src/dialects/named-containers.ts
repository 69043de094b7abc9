/**
 * Containers by their ids. Whoever has the account may name one, so that each is looked up by who asks, and refused as what an
 * account keeps where it is not his own. What runs in one that is there costs by its size, and makes no other.
 */
import { CallersMap, callersSet } from '../core/callers-keys.ts';
import { isActive, type KeptContainer, mayBeActive } from '../core/container-session.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { largestOf } from '../core/largest.ts';
import { containerName, type PaidTool, type PaidTools } from '../core/paid-tools.ts';
import type { ContainerBill } from '../core/vendor-bill.ts';
import { isReference, type Keeps, named, namedContainer, type Path } from './account.ts';
import { isAbsent } from './bounds.ts';
import { containerOfCall } from './containers.ts';
import type { ClaudeContainer, KnownContainer, NamedContainer, StandingContainer } from './dialect.ts';
import { objectOf, objectsOf, textOf } from './fields.ts';
import { summedUpBefore } from './summed-up.ts';

/** Those at the places where whose they are is looked up. */
export function containersNamed({ tools, ...said }: JsonObject): NamedContainer[] {
  const found: NamedContainer[] = [];
  const note = (id: Json | undefined, naming: Omit<NamedContainer, 'id'>) => {
    if (typeof id === 'string' && id !== '') found.push({ id, ...naming });
  };
  each(tools, (tool, n) => {
    const as = { kind: textOf(tool.type), role: 'place' } as const;
    note(tool.container, { at: `tools[${n}].container`, ...as });
    note(placeOf(tool), { at: `tools[${n}].environment.container_id`, ...as });
  });
  const summedUp = summedUpBefore(said);
  each(said.input, (item, n) => {
    const ran = containerOfCall(item);
    const read = n < summedUp ? 'perhaps-read' : 'read';
    const as = { kind: ran?.tool, role: ran?.isDone ? read : 'named' } as const;
    note(item.container_id, { at: `input[${n}].container_id`, ...as });
    note(placeOf(item), { at: `input[${n}].environment.container_id`, ...as });
  });
  return found;
}

const placeOf = ({ environment }: JsonObject): Json | undefined => objectOf(environment)?.container_id;

function each(list: Json | undefined, look: (object: JsonObject, at: number) => void): void {
  if (!Array.isArray(list)) return;
  for (const [at, value] of list.entries()) {
    const object = objectOf(value);
    if (object) look(object, at);
  }
}

/** The same places, for whoever looks for what an account keeps: what names one anywhere else is a stranger's. */
export const STRANGE_CONTAINERS: Readonly<Record<string, Keeps>> = {
  container: (value, holder, path = []) =>
    namedContainer(value, holder) && !(isText(value, holder.container) && isEntry(path, ['tools'])),
  container_id: (value, holder, path = []) =>
    named(value, holder) && !(isText(value, holder.container_id) && holdsId(path)),
};

const isText = (value: Json | undefined, read: Json | undefined): boolean =>
  typeof value === 'string' && value === read;

const isEntry = ([list, at, ...deeper]: Path, lists: readonly unknown[]): boolean =>
  lists.includes(list) && typeof at === 'number' && deeper.length === 0;

const holdsId = (path: Path): boolean =>
  path[2] === 'environment' && path.length === 3
    ? isEntry(path.slice(0, 2), ['tools', 'input'])
    : isEntry(path, ['input']);

/** Anthropic's, which a request names by its id alone, or beside the skills that it is to have. */
export function claudeContainerIn({ container }: JsonObject): ClaudeContainer | undefined {
  const { id, skills: _, ...others } = objectOf(container) ?? { id: container };
  const isAlone = Object.keys(others).length === 0;
  return typeof id === 'string' && id !== '' && isAlone ? { id, at: 'container' } : undefined;
}

/** That place, for whoever looks for what an account keeps: what names one anywhere else is a stranger's. */
export const STRANGE_CONTAINERS_OF_CLAUDE: Readonly<Record<string, Keeps>> = {
  container: (value, holder, path = []) =>
    namedContainer(value, holder) &&
    !(path.length === 0 && value === holder.container && claudeContainerIn(holder)),
};

// ---- Those that are there ----------------------------------------------------------------------------------------

/**
 * Those of what is known that stand in a body, or in the context upon which it builds. What its caller has written may have
 * been left out of it on its way up, and is read by nobody then.
 */
export function containersStanding(
  body: JsonObject,
  known: readonly KnownContainer[],
): readonly StandingContainer[] {
  if (known.length === 0) return [];
  const byId = new CallersMap<KeptContainer>();
  for (const { id, kept } of known) byId.set(id, kept);
  const here = containersNamed(body).flatMap(({ id, kind, role }): StandingContainer[] => {
    const kept = byId.get(id);
    return kept ? [{ id, kind, role, kept }] : [];
  });
  const isSummedUp = summedUpBefore(body) > 0;
  const { truncation, context_management: edits, previous_response_id: previous } = body;
  const items = callersSet(
    objectsOf(body.input).flatMap((item) => (isReference(item) ? (textOf(item.id) ?? []) : [])),
  );
  const before = known.flatMap(({ id, before: role, item, kept }): StandingContainer[] => {
    const stands = item === undefined ? !isAbsent(previous) : items.has(item);
    const read = role && isSummedUp ? 'perhaps-read' : role;
    return read === 'perhaps-read' || (read && stands) ? [{ id, kind: kept.kind, role: read, kept }] : [];
  });
  const isWhole = isAbsent(edits) && (isAbsent(truncation) || truncation === 'disabled');
  const isRead = ({ kind, kept }: StandingContainer) => isWhole && kind === kept.kind;
  return [...here, ...before].map((each) =>
    each.role === 'read' && !isRead(each) ? { ...each, role: 'perhaps-read' } : each,
  );
}

interface Known {
  /** Of what the account has to which the request goes. */
  containers: readonly KnownContainer[];
  /** Of whoever is asked; absent where it is not known. */
  bill: ContainerBill | undefined;
  nowSec: number;
}

/**
 * The tools of a body with what is known of where they run: as the largest container in which they may. Where one is paid for
 * when it is made, each is that the request asks for, whether or not anything runs in it: OpenAI makes it before its model has
 * said a word. Its interpreter goes on in one that is there where a call in it stands in the model's context (its guide), and no
 * word is known of that for its shell.
 */
export function withContainers(paid: PaidTools, body: JsonObject, known: Known): PaidTools {
  if (!paid.tools.some(({ container }) => container)) return paid;
  const there = containersThere(body, known);
  const { bill } = known;
  const tools = paid.tools.map((tool): PaidTool => {
    const { container } = tool;
    if (!container) return tool;
    const { kind, gigabytes, makes = 0 } = container;
    const its = there.filter((one) => one.kind === kind);
    const goesOn = kind === GOES_ON && its.some((one) => one.isRead && one.gigabytes >= makes);
    return {
      ...tool,
      as: [containerName(kind, largestOf([gigabytes, ...its.map((one) => one.gigabytes)]))],
      container: { ...container, sessionSec: bill?.sessionSec, atSec: known.nowSec },
      ...(bill?.whenMade && makes > 0 && !goesOn && { always: 1 }),
    };
  });
  return { ...paid, tools };
}

const GOES_ON = 'code_interpreter';

interface There extends Pick<StandingContainer, 'kind'>, Pick<KeptContainer, 'gigabytes'> {
  /** It is there, and the model is sure to read of it. */
  isRead: boolean;
}

/** Those in which something may run. */
const containersThere = (body: JsonObject, { containers, nowSec }: Known): There[] =>
  containersStanding(body, containers)
    .filter(({ role, kept }) => role === 'place' || mayBeActive(kept, nowSec))
    .map(({ role, kind, kept }) => ({
      kind,
      gigabytes: kept.gigabytes,
      isRead: role === 'read' && isActive(kept, nowSec),
    }));
