/** Calls that submit a task: what is the same of all of them, whichever wire they come by. */
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { TaskPlatform } from '../../core/tasks.ts';
import type { CallersDialect } from '../body-rules.ts';
import { namesRead } from '../other-texts.ts';
import { type PlainOwn, plainDialect, plainRules } from './plain.ts';

/** The earlier task of the caller's that a call goes on from. */
export interface EarlierTask {
  id: string;
  /** The piece of its result that the call names; null for none. */
  piece: string | null;
  /** It must have come to something. */
  isDone?: boolean;
  /** It is a window, and what is said in it takes its place: who waits for it sees that done. */
  isWindow?: boolean;
}

/** What of a call goes up is the operator's to say. */
export interface TaskSettings {
  /** Callers may choose among the upstream's accounts. */
  choosesAccount: boolean;
  /** Words for a mode are taken out of prompts. */
  clearsMode: boolean;
  /** The mode that the path named; null for none. */
  mode: string | null;
  /** Where the upstream may say that something has changed; null where it is not to know that. */
  notify: string | null;
}

/** What is known of a task as soon as it is taken. */
export interface TakenTask {
  /** Empty where there is nothing to ask after: it is done. */
  upstreamId: string;
  status: 'SUBMITTED' | 'MODAL' | 'SUCCESS';
  data: Json;
  /** Added to what lists show of the request. */
  noted: JsonObject;
}

export interface TaskDialect extends CallersDialect {
  readonly task: {
    readonly platform: TaskPlatform;
    /** As rows name it. */
    action(body: JsonObject): string;
    earlier?(body: JsonObject): EarlierTask | null;
    /** Whether a result holds the piece. */
    hasPiece?(data: unknown, piece: string): boolean;
    /** Throws what a call asks for that is not to be had of the earlier task's result; null for one that is not known. */
    checkEarlier?(body: JsonObject, data: Json): void;
    /** The body with the upstream's name of the earlier task. */
    withEarlier?(body: JsonObject, upstreamId: string): JsonObject;
    /** Fields that are not the upstream's to read, and do not go up. */
    readonly ours: readonly string[];
    /** The only fields that go up, of a call whose price follows from them: what else would change it is not known. */
    readonly only?: readonly string[];
    /** The body with what the operator says of it. */
    sent?(body: JsonObject, settings: TaskSettings): JsonObject;
    /** What `sent` takes out of texts, as callers are told of it. */
    lost?(body: JsonObject): string[];
    /** How many times its price it costs as it goes up, which asks for more than usual; once where this is absent. */
    times?(sent: JsonObject): number;
    /** Where the caller wants to be told of it; empty for nowhere. */
    hook?(body: JsonObject): string;
    /** What lists show of the request. */
    input(body: JsonObject): JsonObject;
    /** What the upstream's answer says beside the id; that it is submitted where this is absent. */
    taken?(answer: JsonObject, action: string): TakenTask;
    /** What the answer says of its price otherwise than it was asked for, for the log row; nothing where it says the same. */
    told?(answer: JsonObject, asked: JsonObject): JsonObject;
    /** Fields of the answer that hold the upstream's own words. */
    readonly words?: readonly string[];
    /** The good answer to the caller, made of an answer whose words are cleaned. */
    reply(id: string, answer: JsonObject, action: string, asked: JsonObject): JsonObject;
  };
}

/**
 * The dialect of calls that submit tasks. What a task costs, whose it is and who is told of it follows from fields of its
 * own wire, so that each of these goes up in the one spelling by which it was read.
 */
export const taskCalls = (own: PlainOwn): CallersDialect =>
  plainDialect({ ...own, rules: { ...(own.rules ?? plainRules([])), own: namesRead(own.reads) } });

/** How an upstream calls a task that it has taken: one word. Undefined for anything else. */
export function taskNameIn(value: unknown): string | undefined {
  const name = Number.isSafeInteger(value) ? String(value) : value;
  return typeof name === 'string' && name.length <= limits.taskNameChars && /^[\x21-\x7e]+$/.test(name)
    ? name
    : undefined;
}

export const isTaskDialect = (dialect: object): dialect is TaskDialect => 'task' in dialect;
