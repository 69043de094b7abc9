/**
 * OpenAI's containers, in which its interpreter and its shell run. Each is paid for by its memory, however many calls run
 * in it (its price list, "Containers"), and one that is made for a request serves all calls of the answer.
 */
import type { JsonObject } from '../core/json.ts';
import { largestOf } from '../core/largest.ts';
import { own } from '../core/own.ts';
import { CONTAINER_GIGABYTES, containerName, type PaidTool } from '../core/paid-tools.ts';
import { objectOf, textOf } from './fields.ts';

/** The field in which each of the tools says where it runs. */
const PLACES: Readonly<Record<string, string>> = { code_interpreter: 'container', shell: 'environment' };

/** Gigabytes, the usual ones where a tool says nothing; null for a size that nobody has priced. */
function gigabytesOf(place: JsonObject | undefined): number | null {
  const limit = place?.memory_limit;
  if (limit === undefined || limit === null) return USUAL;
  const said = typeof limit === 'string' ? limit.trim().toLowerCase() : '';
  return CONTAINER_GIGABYTES.find((size) => said === `${size}g`) ?? null;
}

const [USUAL] = CONTAINER_GIGABYTES;
const LARGEST = largestOf(CONTAINER_GIGABYTES);

/** What the tools of a request may run in. Of several of one kind any may run, so that the largest counts. */
export function containersOf(tools: readonly JsonObject[]): PaidTool[] {
  return Object.entries(PLACES).flatMap(([kind, field]) => {
    const places = tools.flatMap(({ type, [field]: place }) => (type === kind ? [objectOf(place)] : []));
    const hosted = places.filter((place) => place?.type !== 'local');
    if (hosted.length === 0) return [];
    const made = hosted.filter(isMade).map(sizeOf);
    const gigabytes = largestOf(hosted.map(sizeOf));
    const name = containerName(kind, gigabytes);
    // A call that does not say where it ran is one of the caller's, unless he asked for a container.
    const somewhere = hosted.some((place) => place !== undefined) ? [`${kind}_somewhere`] : [];
    const isSure = made.length === hosted.length && new Set<number>(made).size === 1;
    const container = { kind, gigabytes, ...(made.length > 0 && { makes: largestOf(made) }), isSure };
    return [{ as: [name], told: [kind, ...somewhere], most: null, container }];
  });
}

const sizeOf = (place: JsonObject | undefined): number => gigabytesOf(place) ?? LARGEST;

/** One is made for the request, unless it goes on in one that is there. */
const isMade = (place: JsonObject | undefined): boolean =>
  place !== undefined && place.type !== 'container_reference';

/** Tools that run in one. */
export const runsInContainer = ({ type }: JsonObject): boolean =>
  own(PLACES, textOf(type) ?? '') !== undefined;

/** A container in which a tool ran. */
export interface RanIn {
  tool: string;
  id: string;
  /** It ran there to its end. */
  isDone: boolean;
  /** When that was seen to come; absent where nobody saw it. */
  doneSec?: number | undefined;
}

/** The container in which a call of an answer ran; its tools by the names that the answer tells. */
export function containerOfCall(
  item: JsonObject,
): (Omit<RanIn, 'id'> & { id: string | undefined }) | undefined {
  const isDone = item.status === 'completed';
  if (item.type === 'code_interpreter_call')
    return { tool: 'code_interpreter', id: textOf(item.container_id), isDone };
  if (item.type !== 'shell_call') return undefined;
  const place = objectOf(item.environment);
  if (place?.type === 'local') return undefined;
  return { tool: place ? 'shell' : 'shell_somewhere', id: textOf(place?.container_id), isDone };
}

/** The tool without a size of its container that has no price; the same object where it has none. */
export function withPricedContainer(tool: JsonObject): JsonObject {
  const field = own(PLACES, textOf(tool.type) ?? '');
  const place = field === undefined ? undefined : objectOf(tool[field]);
  if (field === undefined || gigabytesOf(place) !== null) return tool;
  const { memory_limit: _, ...usual } = place ?? {};
  return { ...tool, [field]: usual };
}
