/**
 * Names of a caller's tools that another wire does not take: they are longer than any there (Claude takes 128 characters
 * and Claude Code needs them, OpenAI and Google take 64), or have other letters (Google's may have dots). They are told
 * otherwise wherever a request has them, and turned back in its answer; the request alone tells how.
 */
import { CallersMap, callersSet } from '../core/callers-keys.ts';
import { fail } from '../core/errors.ts';
import type { ToolNames } from './codec.ts';
import type { ChatRequest, Part, ToolChoice } from './neutral.ts';
import { withToolsFound } from './result-words.ts';
import { digestOf } from './short-names.ts';
import { AS_IT_CAME, type Telling, telling } from './telling.ts';

/** A request as a wire is told of it, and its answer as its caller knows it. */
export interface Told extends Telling {
  request: ChatRequest;
}

export function withToldNames(request: ChatRequest, names: ToolNames | undefined): Told {
  const all = namesIn(request);
  const others = names ? all.filter((name) => !isTaken(name, names)) : [];
  if (!names || others.length === 0) return { request, ...AS_IT_CAME };
  const told = new CallersMap<string>();
  const meant = new CallersMap<string>();
  const known = callersSet(all);
  for (const name of callersSet(others)) {
    const other = otherName(name, names.most, (each) => known.has(each) || meant.get(each) !== undefined);
    told.set(name, other);
    meant.set(other, name);
  }
  const inAnswer = (part: Part): Part => (part.type === 'tool-call' ? renamed(part, meant) : part);
  return { request: renamedIn(request, told), ...telling(() => inAnswer) };
}

/** None is a name, too: who it is told to says what is wrong with it. */
const isTaken = (name: string, { most, letters }: ToolNames): boolean =>
  name === '' || (name.length <= most && letters.test(name));

/** Those that no wire takes, and how a name begins on each. */
const OTHER_LETTERS = /[^\w-]/g;
const BEGINNING = /^[a-z_]/i;
const DIGEST_CHARS = 12;

/**
 * Its own beginning, by which a model knows what it is of, and a digest: always the same. Nobody meets that of another by
 * chance; who names it on purpose is refused, since to look for one that is free would be work as long as he likes.
 */
function otherName(name: string, most: number, isKnown: (other: string) => boolean): string {
  const readable = name.slice(0, most).replace(OTHER_LETTERS, '_');
  const whole = BEGINNING.test(readable) ? readable : `_${readable}`;
  const other = `${whole.slice(0, most - DIGEST_CHARS - 1)}_${digestOf(name, DIGEST_CHARS)}`;
  if (isKnown(other)) throw nameTaken();
  return other;
}

const nameTaken = () =>
  fail('invalid_request', {
    params: {
      reason: {
        zh: '两个工具名称在该模型处会变成同一个名称',
        en: 'two names of tools become one where this model is served',
      },
    },
  });

/** Names that are taken on every wire, or only shortened. */
const ANYWHERE = /^[a-z_][\w-]*$/i;
const MOST_ADDED = `__${'0'.repeat(DIGEST_CHARS)}`;

/** A name as long as it may be told. */
export const longestTold = (name: string): string =>
  name === '' || ANYWHERE.test(name) ? name : name + MOST_ADDED;

const hasName = (part: Part) => part.type === 'tool-call' || part.type === 'tool-result';

/** Tools that run at the vendor have none of the caller's. */
const namesIn = ({ tools, toolChoice, messages }: ChatRequest): string[] => [
  ...tools.flatMap((tool) => ('name' in tool ? tool.name : [])),
  ...(toolChoice?.mode === 'named' ? [toolChoice.name] : []),
  ...(toolChoice?.mode === 'allowed' ? toolChoice.names : []),
  ...messages.flatMap(({ parts }) => parts.flatMap((part) => (hasName(part) ? (part.name ?? []) : []))),
];

function renamed<Named extends { name?: string }>(named: Named, names: CallersMap<string>): Named {
  const name = named.name === undefined ? undefined : names.get(named.name);
  return name === undefined ? named : { ...named, name };
}

const renamedIn = (request: ChatRequest, names: CallersMap<string>): ChatRequest => ({
  ...request,
  tools: request.tools.map((tool) => ('name' in tool ? renamed(tool, names) : tool)),
  ...(request.toolChoice && { toolChoice: renamedChoice(request.toolChoice, names) }),
  messages: request.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => renamedPart(part, names)),
  })),
});

function renamedPart(part: Part, names: CallersMap<string>): Part {
  if (part.type === 'tool-call') return renamed(part, names);
  if (part.type !== 'tool-result') return part;
  const content = withToolsFound(part.content, (name) => names.get(name) ?? name);
  return renamed({ ...part, content }, names);
}

function renamedChoice(choice: ToolChoice, names: CallersMap<string>): ToolChoice {
  if (choice.mode === 'named') return renamed(choice, names);
  if (choice.mode !== 'allowed') return choice;
  return { ...choice, names: choice.names.map((name) => names.get(name) ?? name) };
}
