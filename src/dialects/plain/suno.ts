/**
 * Music as Suno-API services take it (design page "providers", section 11): a call submits a song or lyrics and is
 * answered by the id of a task, after which is asked later. Its price is that of a song, or of lyrics: by other fields
 * services do other work for several times as much (apidoc.deerapi.com, Suno: all stems of a song, "gen_stem", cost five),
 * and read songs of others, so that nothing goes up but what is known here.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { SONGS } from '../account.ts';
import { isAbsent, oneOf, refuse, wrong } from '../bounds.ts';
import type { PublicError } from '../dialect.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import { dataFrame } from '../frames.ts';
import { OBJECT, object, reads } from '../other-texts.ts';
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

/** How it is sung, and how much of what. */
const SETTINGS = ['vocal_gender', 'style_weight', 'weirdness_constraint', 'audio_weight'];
/** All that is known of a call but what follows. */
const FIELDS = [
  ...TEXTS,
  ...SETTINGS,
  'mv',
  'make_instrumental',
  'task',
  'task_id',
  'continue_clip_id',
  'continue_at',
];
/** Of the account's, where that is shared. */
const OF_ACCOUNT = ['cover_clip_id', 'persona_id', 'artist_clip_id'];
/** How it is sung in the words of Suno's own pages. */
const METADATA = reads(['create_mode', 'vocal_gender'], { control_sliders: OBJECT });
/** Work that costs as much as a new song: one goes on, is sung anew, or by a singer that the account keeps. */
const TASKS = ['extend', 'cover', 'artist_consistency'];

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
  only: readonly string[];
  /** Throws what is wrong with a body. */
  check(body: JsonObject): void;
  /** The body as it goes up. */
  whole(body: JsonObject): JsonObject;
}

function dialectOf({ name, only, check, whole }: Action): TaskDialect {
  const dialect = taskCalls({
    id: 'suno',
    rules: { ...plainRules([]), kept: SONGS },
    reads: reads([...FIELDS, 'notify_hook'], { metadata: object(METADATA) }),
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
      only,
      sent: (body) => ({ ...body, ...withKnownMetadata(body) }),
      lost: ({ metadata }) => (only.includes('metadata') ? otherMetadata(metadata) : []),
      input: (body) => ({
        input: (textOf(body.gpt_description_prompt) || textOf(body.prompt) || '').slice(0, INPUT_SHOWN),
      }),
      reply: (id) => ({ code: 'success', message: '', data: id }),
    },
  };
}

/** Of what stands there services read what a song is made of, too. */
function withKnownMetadata({ metadata: given }: JsonObject): JsonObject {
  const metadata = objectOf(given);
  if (!metadata) return {};
  const known = Object.entries(metadata).filter(([name]) => METADATA.fields.has(name));
  return { metadata: Object.fromEntries(known) };
}

const otherMetadata = (metadata: Json | undefined): string[] =>
  Object.keys(objectOf(metadata) ?? {}).flatMap((name) =>
    METADATA.fields.has(name) ? [] : `metadata.${name}`,
  );

/** A song is continued by the task that it came from and its own id. */
function earlier(body: JsonObject): EarlierTask | null {
  const id = textOf(body.task_id);
  return id ? { id, piece: textOf(body.continue_clip_id) ?? null } : null;
}

const isEmpty = (value: Json | undefined): boolean => typeof value !== 'string' || value.trim() === '';

export const sunoMusic = dialectOf({
  name: 'MUSIC',
  only: [...FIELDS, 'metadata', ...OF_ACCOUNT],
  check(body) {
    for (const field of ['task', 'task_id', 'continue_clip_id', 'mv']) {
      if (!isAbsent(body[field]) && typeof body[field] !== 'string') throw refuse(field, wrong.string);
    }
    if (!isAbsent(body.metadata) && !objectOf(body.metadata)) throw refuse('metadata', wrong.object);
    const task = textOf(body.task);
    if (task && !TASKS.includes(task)) throw refuse('task', oneOf(...TASKS));
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
  only: ['prompt'],
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
