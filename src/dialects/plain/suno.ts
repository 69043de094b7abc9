/**
 * Music as Suno-API services take it (design page "providers", section 11): a call submits a song or lyrics and is
 * answered by the id of a task, after which is asked later. Everything beside the fields that are read here goes up as it
 * came.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { SONGS } from '../account.ts';
import { isAbsent, refuse, wrong } from '../bounds.ts';
import type { PublicError } from '../dialect.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import { dataFrame } from '../frames.ts';
import { reads } from '../other-texts.ts';
import { plainFacts, plainReply, plainRules, promptOf } from './plain.ts';
import { type EarlierTask, type TaskDialect, taskCalls, taskNameIn } from './task.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    suno: true;
  }
}

/** Lyrics or a description of a song: longer ones no service takes. */
const INPUT_SHOWN = 2_000;
const DEFAULT_VERSION = 'chirp-v3-0';

const TEXTS = ['prompt', 'gpt_description_prompt', 'title', 'tags', 'negative_tags'] as const;

const textsIn = (body: JsonObject): string[] => TEXTS.flatMap((name) => textOf(body[name]) ?? []);

const errorBody = ({ code, message }: PublicError): JsonObject => ({ code, message, data: null });

/** A service says whether it has taken a task by a word. */
function readReply(body: unknown) {
  const { code, data, message } = objectOf(body) ?? {};
  const id = code === 'success' ? taskNameIn(data) : undefined;
  const facts = plainReply(
    body,
    () => ({ usage: null, missing: id ? null : 'task id' }),
    () =>
      code === undefined || code === 'success'
        ? null
        : { message: textOf(message) || `code ${String(code)}`, code: textOf(code) },
  );
  return id ? { ...facts, answerId: id } : facts;
}

interface Action {
  name: string;
  /** Throws what is wrong with a body. */
  check(body: JsonObject): void;
  /** The body as it goes up. */
  whole(body: JsonObject): JsonObject;
}

function dialectOf({ name, check, whole }: Action): TaskDialect {
  const dialect = taskCalls({
    id: 'suno',
    rules: { ...plainRules([]), kept: SONGS },
    reads: reads([
      'mv',
      'make_instrumental',
      'continue_at',
      'continue_clip_id',
      'task_id',
      'notify_hook',
      ...TEXTS,
    ]),
    readRequest(body, { model = '' }) {
      for (const field of TEXTS) {
        if (!isAbsent(body[field]) && typeof body[field] !== 'string') throw refuse(field, wrong.string);
      }
      check(body);
      return plainFacts(model, { prompt: promptOf(textsIn(body)) });
    },
    promptTexts: textsIn,
    // No field of a body names the model: the path does.
    forward: (body) => whole(body),
    readReply,
    errorBody,
    errorFrame: (error) => dataFrame(JSON.stringify(errorBody(error))),
  });
  return {
    ...dialect,
    task: {
      platform: 'suno',
      action: () => name,
      earlier,
      hasPiece: (data, piece) => objectsOf(data).some(({ id }) => id === piece),
      withEarlier: (body, task_id) => ({ ...body, task_id }),
      // Called back would be the caller, with an id that he does not know.
      ours: ['notify_hook'],
      input: (body) => ({
        input: (textOf(body.gpt_description_prompt) || textOf(body.prompt) || '').slice(0, INPUT_SHOWN),
      }),
      reply: (id) => ({ code: 'success', message: '', data: id }),
    },
  };
}

/** A song is continued by the task that it came from and its own id. */
function earlier(body: JsonObject): EarlierTask | null {
  const id = textOf(body.task_id);
  return id ? { id, piece: textOf(body.continue_clip_id) ?? null } : null;
}

const isEmpty = (value: Json | undefined): boolean => typeof value !== 'string' || value.trim() === '';

export const sunoMusic = dialectOf({
  name: 'MUSIC',
  check(body) {
    for (const field of ['task_id', 'continue_clip_id', 'mv']) {
      if (!isAbsent(body[field]) && typeof body[field] !== 'string') throw refuse(field, wrong.string);
    }
    if (!isEmpty(body.continue_clip_id) && isEmpty(body.task_id)) throw refuse('task_id', wrong.missing);
    // An instrumental may do with a title or a style alone.
    if (textsIn(body).every(isEmpty) && isEmpty(body.continue_clip_id)) throw refuse('prompt', wrong.empty);
  },
  whole: (body) => ({
    ...body,
    mv: isEmpty(body.mv) ? DEFAULT_VERSION : body.mv,
    make_instrumental: body.make_instrumental === true,
  }),
});

export const sunoLyrics = dialectOf({
  name: 'LYRICS',
  check({ prompt }) {
    if (isEmpty(prompt)) throw refuse('prompt', wrong.empty);
  },
  whole: (body) => body,
});

/** By the last step of the path. */
export const sunoActions: Readonly<Record<string, { dialect: TaskDialect; model: string }>> = {
  music: { dialect: sunoMusic, model: 'suno_music' },
  lyrics: { dialect: sunoLyrics, model: 'suno_lyrics' },
};
