/**
 * Drawing as Midjourney proxies take it (design page "providers", section 10): a call submits a task and is answered by a
 * code and an id. What is drawn, from what, and by which button follows from path and body; the model, by which channels
 * and prices are found, from that.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Text } from '../../core/text.ts';
import { atMost, isAbsent, oneOf, refuse, wrong } from '../bounds.ts';
import type { PublicError, UpstreamErrorBody } from '../dialect.ts';
import { numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { dataFrame } from '../frames.ts';
import { checkAddress, checkPictures } from '../media.ts';
import { object, reads, TEXTS as SEVERAL } from '../other-texts.ts';
import { plainFacts, plainReply, promptOf } from './plain.ts';
import { type TaskDialect, type TaskSettings, taskCalls, taskNameIn } from './task.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    midjourney: true;
  }
}

export type DrawingAction =
  | 'IMAGINE'
  | 'UPSCALE'
  | 'VARIATION'
  | 'HIGH_VARIATION'
  | 'LOW_VARIATION'
  | 'PAN'
  | 'DESCRIBE'
  | 'BLEND'
  | 'UPLOAD'
  | 'SHORTEN'
  | 'REROLL'
  | 'INPAINT'
  | 'ZOOM'
  | 'CUSTOM_ZOOM'
  | 'MODAL'
  | 'SWAP_FACE'
  | 'EDITS'
  | 'VIDEO';

/** The name by which channels and prices know an action. */
function modelOfAction(action: DrawingAction): string {
  if (action === 'SWAP_FACE') return 'swap_face';
  // So the lists of channels have it.
  return action === 'UPLOAD' ? 'mj_uploads' : `mj_${action.toLowerCase()}`;
}

// ---- What a body asks for ----------------------------------------------------------------------------------------

/** Buttons that open a window: what is then said in it is drawn, and charged. */
const OPENS_WINDOW: ReadonlySet<string> = new Set<DrawingAction>(['INPAINT', 'CUSTOM_ZOOM']);

/** The action of a button: `MJ::JOB::upsample::1::hash`, `MJ::Outpaint::50::1::hash::SOLO`; null for one that is unknown. */
export function actionOfButton(customId: string): DrawingAction | null {
  const parts = customId.split('::');
  if (parts[0] !== 'MJ') return null;
  const verb = (parts[1] === 'JOB' ? parts[2] : parts[1]) ?? '';
  if (verb.includes('upsample')) return 'UPSCALE';
  if (verb === 'variation') return 'VARIATION';
  if (verb === 'low_variation') return 'LOW_VARIATION';
  if (verb === 'high_variation') return 'HIGH_VARIATION';
  if (verb.includes('pan')) return 'PAN';
  if (verb.includes('reroll')) return 'REROLL';
  if (verb === 'Outpaint') return 'ZOOM';
  if (verb === 'CustomZoom') return 'CUSTOM_ZOOM';
  return verb === 'Inpaint' ? 'INPAINT' : null;
}

const CHANGES: Readonly<Record<string, DrawingAction>> = { U: 'UPSCALE', V: 'VARIATION', R: 'REROLL' };

/** `{id} U2`, or null for what is no such text. */
function simpleChange(content: unknown): { id: string; action: DrawingAction; rest: string } | null {
  const [, id = '', letter = '', index = ''] =
    /^\s*(\S+)\s+([UVR])([1-4]?)\s*$/i.exec(textOf(content) ?? '') ?? [];
  const action = CHANGES[letter.toUpperCase()];
  if (!action || (action === 'REROLL') !== (index === '')) return null;
  return { id, action, rest: `${letter.toUpperCase()}${index}` };
}

const says = (en: string, zh: string): Text => ({ zh, en });

function changeAction({ action, index }: JsonObject): DrawingAction {
  const found = Object.values(CHANGES).find((name) => name === textOf(action)?.toUpperCase());
  if (!found)
    throw refuse(
      'action',
      isAbsent(action)
        ? wrong.missing
        : says('UPSCALE, VARIATION or REROLL is expected', '应为 UPSCALE、VARIATION 或 REROLL'),
    );
  const number = numberOf(index);
  if (
    found !== 'REROLL' &&
    !(number !== undefined && Number.isInteger(number) && number >= 1 && number <= 4)
  ) {
    throw refuse('index', says('a number from 1 to 4 is expected', '应为 1 到 4 的整数'));
  }
  return found;
}

function buttonAction({ customId }: JsonObject): DrawingAction {
  const id = requiredText(customId, 'customId');
  const action = actionOfButton(id);
  if (!action) throw refuse('customId', says('it names no known button', '不是已知的按钮'));
  return action;
}

/** Of a drawing whose buttons are known, it must be one of them. */
function checkButton({ customId }: JsonObject, data: Json): void {
  const buttons = objectsOf(objectOf(data)?.buttons);
  if (buttons.length === 0 || buttons.some((button) => button.customId === customId)) return;
  throw refuse('customId', says('the task has no such button', '任务没有这个按钮'));
}

function requiredText(value: Json | undefined, field: string): string {
  if (isAbsent(value)) throw refuse(field, wrong.missing);
  if (typeof value !== 'string') throw refuse(field, wrong.string);
  if (value.trim() === '') throw refuse(field, wrong.empty);
  return value;
}

function images(body: JsonObject, least: number, most: number): void {
  const { base64Array: list } = body;
  if (isAbsent(list) && least === 0) return;
  if (!Array.isArray(list) || list.some((one) => typeof one !== 'string'))
    throw refuse('base64Array', wrong.array);
  if (list.length < least || list.length > most) {
    throw refuse(
      'base64Array',
      says(`${least} to ${most} images are expected`, `应有 ${least} 到 ${most} 张图片`),
    );
  }
}

/** More than any proxy takes at once. */
const IMAGES_MOST = 20;

// ---- The answer --------------------------------------------------------------------------------------------------

/** Codes of what was taken: submitted, exists already or waits for a window, queued. */
const TAKEN: ReadonlySet<number> = new Set([1, 21, 22]);

/**
 * What the others mean, as a status: nothing found, a bad request, a full queue, words that are banned. What is not found
 * may be a task, or any account that takes such a call (by its bot, its words, its speed): others may still be served.
 */
const STATUS_OF: Readonly<Record<number, number>> = { 3: 503, 4: 400, 23: 429, 24: 400 };

function refusalIn(answer: JsonObject): UpstreamErrorBody | null {
  const code = numberOf(answer.code);
  if (code !== undefined && TAKEN.has(code)) return null;
  const message = textOf(answer.description) || `code ${String(answer.code)}`;
  return { message, ...(code === undefined ? {} : { code: String(code), status: STATUS_OF[code] ?? 502 }) };
}

/** Local refusals have the code of a bad request, or that of a full queue. */
const codeOf = ({ status, code }: PublicError): number => {
  if (/^\d{1,3}$/.test(code)) return Number(code);
  return status === 429 ? 23 : 4;
};

const errorBody = (error: PublicError): JsonObject => ({
  code: codeOf(error),
  description: error.message,
  result: '',
  properties: {},
  type: error.code,
});

/** What of the upstream's properties its caller may read: not which of the operator's accounts draws. */
function propertiesIn(answer: JsonObject): JsonObject {
  const { numberOfQueues, status, finalPrompt, remix } = objectOf(answer.properties) ?? {};
  return JSON.parse(JSON.stringify({ numberOfQueues, status, finalPrompt, remix })) as JsonObject;
}

// ---- The calls ---------------------------------------------------------------------------------------------------

interface Call {
  /** Below `/mj`. */
  path: string;
  /** Throws what is wrong with the body. */
  action(body: JsonObject): DrawingAction;
  /** The earlier task, of a call that goes on from one. */
  earlier?(body: JsonObject): string | undefined;
  withEarlier?(body: JsonObject, upstreamId: string): JsonObject;
  checkEarlier?(body: JsonObject, data: Json): void;
  /** It goes on from a window, which is not done. */
  fillsWindow?: boolean;
  /** Beside what all of them take, the only fields that go up: others would make more of it than it costs. */
  only?: readonly string[];
}

/** What every call takes. */
const COMMON = ['prompt', 'state', 'notifyHook', 'botType', 'accountFilter'] as const;

export interface DrawingDialect extends TaskDialect {
  readonly path: string;
}

const TEXTS = ['prompt', 'content', 'state'] as const;
/** A space takes their place: what stood before and behind them is no word together. */
const MODE_WORDS = /(?:(?<!\s)\s+)?(?:--(?:fast|relax|turbo)\b\s*)+/gi;

/**
 * Parameters of a prompt by which one call is the work of several (docs.midjourney.com: Video, Repeat, Quality, HD): a film
 * of `--bs` pieces, as many jobs as `--repeat` says. Nothing prices them, so that they stay behind, with their numbers;
 * phones make one long dash of two. One that has the next word's dashes right behind it counts, too: with that word gone
 * it would be one. Of a row of dashes only the last belong to it, and figures are read in one way: the time that it takes grows
 * with the prompt, and no faster.
 */
const DEAR_WORDS =
  /(?:--|[\u2012-\u2015\u2212\uff0d])(video|motion|loop|bs|batch-?size|repeat|r|quality|q|hd)(?![\p{L}\p{N}_]|-(?!-))(?:[\s=:]+(?:\d+(?:\.\d+)?|\.\d+)(?![\p{L}\p{N}.]))?/giu;
const dearWordsIn = ({ prompt }: JsonObject): string[] =>
  [...(textOf(prompt) ?? '').matchAll(DEAR_WORDS)].flatMap(([, name]) => name?.toLowerCase() ?? []);

/** By prompt or by account: turbo takes twice the minutes of what is fast (docs.midjourney.com, "Turbo Mode"). */
const TURBO_WORD = /(?:--|[\u2012-\u2015\u2212\uff0d])turbo(?![\p{L}\p{N}_])/iu;
const TURBO_TIMES = 2;
function isTurbo({ prompt, accountFilter }: JsonObject): boolean {
  const modes = objectOf(accountFilter)?.modes;
  if (Array.isArray(modes) && modes.some((mode) => textOf(mode)?.toUpperCase() === 'TURBO')) return true;
  return TURBO_WORD.test(textOf(prompt) ?? '');
}

/** Each kind closes its own: whichever of them an upstream knows, the other is text to it. */
const BRACES = [
  ['{', '}'],
  ['\uff5b', '\uff5d'],
] as const;

/** `{red, green} cat` is a job for each of them, at whatever depth. A brace that is escaped closes nothing. */
const hasChoices = (prompt: string): boolean =>
  BRACES.some(([open, close]) => {
    let depth = 0;
    for (const [mark] of prompt.matchAll(/\\?[{}\uff5b\uff5d,\uff0c\u3001]/g)) {
      if (mark.endsWith(open)) depth++;
      else if (mark === close) depth = Math.max(0, depth - 1);
      else if (depth > 0 && /[,\uff0c\u3001]$/.test(mark)) return true;
    }
    return false;
  });

function checkOneJob({ prompt }: JsonObject): void {
  if (!hasChoices(textOf(prompt) ?? '')) return;
  throw refuse(
    'prompt',
    says('choices in braces would be several drawings', '花括号中的多个选项会生成多张图，不支持'),
  );
}

function sent(body: JsonObject, { choosesAccount, clearsMode, mode, notify }: TaskSettings): JsonObject {
  const out = { ...body };
  if (!choosesAccount) delete out.accountFilter;
  if (mode !== null) out.accountFilter = { ...objectOf(out.accountFilter), modes: [mode.toUpperCase()] };
  delete out.notifyHook;
  if (notify !== null) out.notifyHook = notify;
  const prompt = textOf(out.prompt);
  if (prompt !== undefined) {
    const isDear = dearWordsIn(body).length > 0;
    const single = isDear ? prompt.replace(DEAR_WORDS, ' ').trim() : prompt;
    out.prompt = clearsMode ? single.replace(MODE_WORDS, ' ').trim() : single;
  }
  return out;
}

function dialectOf({
  path,
  action,
  earlier,
  withEarlier,
  checkEarlier,
  fillsWindow = false,
  only,
}: Call): DrawingDialect {
  const texts = (body: JsonObject) => TEXTS.flatMap((name) => textOf(body[name]) ?? []);
  const readReply = (body: unknown) => {
    const answer = objectOf(body) ?? {};
    const isUpload = Array.isArray(answer.result);
    const id = taskNameIn(answer.result);
    const facts = plainReply(
      answer,
      () => ({ usage: null, missing: id || isUpload ? null : 'task id' }),
      refusalIn,
    );
    return id ? { ...facts, answerId: id } : facts;
  };
  const dialect = taskCalls({
    id: 'midjourney',
    reads: reads(
      [
        ...TEXTS,
        ...['action', 'index', 'taskId', 'customId', 'botType', 'notifyHook', 'dimensions', 'base64'],
        ...['image', 'motion'],
        ...[
          'maskBase64',
          'sourceBase64',
          'targetBase64',
          'chooseSameChannel',
          'enableRemix',
          'filter',
          'link',
        ],
      ],
      {
        base64Array: SEVERAL,
        accountFilter: object(
          reads(['channelId', 'instanceId', 'remark', 'remix', 'nijiRemix', 'remixAutoConsidered'], {
            modes: SEVERAL,
          }),
        ),
      },
    ),
    readRequest(body) {
      for (const field of TEXTS) {
        const text = body[field];
        if (isAbsent(text)) continue;
        if (typeof text !== 'string') throw refuse(field, wrong.string);
        // It is looked through before anybody is asked for quota. What a client notes for itself may be long.
        const most = field === 'state' ? limits.drawingStateChars : limits.drawingTextChars;
        if (text.length > most) throw refuse(field, atMost(most, '个字符', 'characters'));
      }
      checkOneJob(body);
      checkPictures(body, checkAddress);
      return plainFacts(modelOfAction(action(body)), { prompt: promptOf(texts(body)) });
    },
    promptTexts: ({ prompt }) => [textOf(prompt) ?? []].flat(),
    forward: (body) => body,
    readReply,
    errorBody,
    errorFrame: (error) => dataFrame(JSON.stringify(errorBody(error))),
  });
  return {
    ...dialect,
    path,
    task: {
      platform: 'mj',
      action: (body) => action(body),
      earlier(body) {
        const id = earlier?.(body);
        return id ? { id, piece: null, isDone: !fillsWindow, isWindow: fillsWindow } : null;
      },
      ...(withEarlier && { withEarlier }),
      ...(checkEarlier && { checkEarlier }),
      ours: [],
      ...(only && { only: [...COMMON, ...only] }),
      sent,
      lost: (body) => dearWordsIn(body).map((name) => `prompt.${name}`),
      times: (body) => (isTurbo(body) ? TURBO_TIMES : 1),
      hook: (body) => textOf(body.notifyHook) ?? '',
      input: (body) => ({
        prompt: (textOf(body.prompt) ?? '').slice(0, limits.taskTextChars),
        state: (textOf(body.state) ?? '').slice(0, limits.taskStateChars),
      }),
      taken(answer, did) {
        const { status, imageUrl } = objectOf(answer.properties) ?? {};
        const code = numberOf(answer.code) ?? 1;
        const noted = { code };
        // Uploads are done with their answer, which is no id.
        if (Array.isArray(answer.result)) {
          return { upstreamId: '', status: 'SUCCESS', data: { description: answer.result.join(' ') }, noted };
        }
        const upstreamId = taskNameIn(answer.result) ?? '';
        if (code === 21 && status === 'SUCCESS') {
          return { upstreamId, status, data: { imageUrl: textOf(imageUrl) ?? '' }, noted };
        }
        const waits = code === 21 && OPENS_WINDOW.has(did);
        return { upstreamId, status: waits ? 'MODAL' : 'SUBMITTED', data: null, noted };
      },
      words: ['description'],
      reply: (id, answer, did) => ({
        // Only a window is the caller's to fill; all else is just submitted to him.
        code: answer.code === 21 && OPENS_WINDOW.has(did) ? 21 : 1,
        description: textOf(answer.description) ?? '',
        properties: propertiesIn(answer),
        result: Array.isArray(answer.result) ? answer.result : id,
      }),
    },
  };
}

const taskIdOf = ({ taskId }: JsonObject): string => requiredText(taskId, 'taskId');
const withTaskId = (body: JsonObject, taskId: string): JsonObject => ({ ...body, taskId });
const always =
  (action: DrawingAction, check: (body: JsonObject) => void = () => undefined) =>
  (body: JsonObject): DrawingAction => {
    check(body);
    return action;
  };

export const imagine = dialectOf({
  path: '/submit/imagine',
  action: always('IMAGINE', (body) => {
    requiredText(body.prompt, 'prompt');
    images(body, 0, IMAGES_MOST);
  }),
});
const change = dialectOf({
  path: '/submit/change',
  action: changeAction,
  earlier: taskIdOf,
  withEarlier: withTaskId,
});
const simpleChanges = dialectOf({
  path: '/submit/simple-change',
  action({ content }) {
    requiredText(content, 'content');
    const read = simpleChange(content);
    if (!read) throw refuse('content', says('a text like "ID U2" is expected', '应为“任务 ID U2”形式的文本'));
    return read.action;
  },
  earlier: ({ content }) => simpleChange(content)?.id,
  withEarlier: (body, id) => ({ ...body, content: `${id} ${simpleChange(body.content)?.rest ?? ''}` }),
});
const describe = dialectOf({
  path: '/submit/describe',
  action: always('DESCRIBE', (body) => {
    if (isAbsent(body.link)) requiredText(body.base64, 'base64');
  }),
});
const blend = dialectOf({
  path: '/submit/blend',
  action: always('BLEND', (body) => images(body, 2, 5)),
});
const uploads = dialectOf({
  path: '/submit/upload-discord-images',
  action: always('UPLOAD', (body) => images(body, 1, IMAGES_MOST)),
});
const pressed = dialectOf({
  path: '/submit/action',
  action: buttonAction,
  earlier: taskIdOf,
  withEarlier: withTaskId,
  checkEarlier: checkButton,
});
const modal = dialectOf({
  path: '/submit/modal',
  action: always('MODAL'),
  earlier: taskIdOf,
  withEarlier: withTaskId,
  fillsWindow: true,
});
const shorten = dialectOf({
  path: '/submit/shorten',
  action: always('SHORTEN', (body) => {
    requiredText(body.prompt, 'prompt');
  }),
});
const swapFace = dialectOf({
  path: '/insight-face/swap',
  action: always('SWAP_FACE', (body) => {
    requiredText(body.sourceBase64, 'sourceBase64');
    requiredText(body.targetBase64, 'targetBase64');
  }),
});

// What the two that follow take is told by services that pass them on to such proxies: doc.dmxapi.com,
// apidoc.cometapi.com, docs.yutoai.net.

/** Of a picture, by its address or its bytes, what is transparent is drawn anew. */
const edits = dialectOf({
  path: '/submit/edits',
  action: always('EDITS', (body) => {
    requiredText(body.prompt, 'prompt');
    requiredText(body.image, 'image');
  }),
  only: ['image'],
});

const MOTIONS: readonly unknown[] = ['low', 'high'];

/** Which of a task's films is meant. */
function checkFilm(index: Json | undefined): void {
  const number = numberOf(index);
  if (number !== undefined && Number.isInteger(number) && number >= 0 && number <= 3) return;
  throw refuse('index', says('a number from 0 to 3 is expected', '应为 0 到 3 的整数'));
}

/** Films that begin with a picture, or that go on from one of an earlier task's. */
const video = dialectOf({
  path: '/submit/video',
  action: always('VIDEO', ({ action, motion, image, taskId, index }) => {
    if (!MOTIONS.includes(motion))
      throw refuse('motion', isAbsent(motion) ? wrong.missing : oneOf('low', 'high'));
    if (isAbsent(action)) {
      requiredText(image, 'image');
      return;
    }
    if (textOf(action)?.toLowerCase() !== 'extend') throw refuse('action', oneOf('extend'));
    requiredText(taskId, 'taskId');
    checkFilm(index);
  }),
  // Whatever is done with it, a task is one of the caller's own.
  earlier: ({ taskId }) => (isAbsent(taskId) ? undefined : requiredText(taskId, 'taskId')),
  withEarlier: withTaskId,
  only: ['motion', 'image', 'action', 'index', 'taskId'],
});

/** What every proxy takes, and what only those of the newer kind do. */
export const drawingCalls: readonly DrawingDialect[] = [
  imagine,
  change,
  simpleChanges,
  describe,
  blend,
  uploads,
];
export const plusCalls: readonly DrawingDialect[] = [pressed, modal, shorten, swapFace, edits, video];
