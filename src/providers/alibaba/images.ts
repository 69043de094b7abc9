/**
 * DashScope's pictures. Its older models are given a task that must be asked for until it is done; those of Qwen answer
 * at once, in the shape of a chat.
 */
import { isObject, type JsonObject, parseJson } from '../../core/json.ts';
import { objectOf, textOf } from '../../dialects/fields.ts';
import { bearer } from '../openai-compatible.ts';
import type { Ask, Finish, UpstreamCall } from '../provider.ts';
import {
  dataUrlOf,
  finishJson,
  jsonPayload,
  picturesAnswer,
  picturesOf,
  pictureUrls,
  readText,
  refusal,
  type VendorOperation,
} from '../vendor-operation.ts';
import { alibabaError } from './errors.ts';

const ROOT = '/api/v1/services/aigc';
const AT_ONCE = '/multimodal-generation/generation';

/** Models of Qwen answer at once, as do the newer ones of Wan, which no other path takes (their reference, help.aliyun.com). */
const AT_ONCE_MODELS = /^(qwen-image|z-image|wan2\.([6-9]|\d\d)-)/;
const answersAtOnce = (model: string): boolean => AT_ONCE_MODELS.test(model);
/** Wan's older ones work on pictures by a path of their own, as tasks. */
const editsAsTask = (model: string): boolean => model.startsWith('wan') && !answersAtOnce(model);

/** OpenAI's words for the sizes have an x between the numbers. */
const sizeOf = (size: unknown): string | undefined => {
  const named = textOf(size) ?? '';
  return /^\d+x\d+$/.test(named) ? named.replace('x', '*') : undefined;
};

const SETTINGS = ['seed', 'steps', 'scale', 'prompt_extend', 'watermark', 'negative_prompt'] as const;

function parametersOf(asked: JsonObject): JsonObject {
  const own = Object.fromEntries(
    SETTINGS.flatMap((name) => (asked[name] === undefined ? [] : [[name, asked[name]]])),
  );
  const size = sizeOf(asked.size);
  // Its older models draw four where nothing is said.
  return { ...(size ? { size } : {}), n: Number(asked.n ?? 1), ...own };
}

/** The input of a chat: the pictures, then what shall become of them. */
const chatInput = (prompt: string, pictures: readonly string[]): JsonObject => ({
  messages: [{ role: 'user', content: [...pictures.map((image) => ({ image })), { text: prompt }] }],
});

function write(asked: JsonObject, { model }: Pick<UpstreamCall, 'model'>): JsonObject {
  const { negative_prompt: unwanted, ...parameters } = parametersOf(asked);
  const prompt = textOf(asked.prompt) ?? '';
  if (answersAtOnce(model)) return { model, input: chatInput(prompt, []), parameters: parametersOf(asked) };
  return {
    model,
    input: { prompt, ...(unwanted === undefined ? {} : { negative_prompt: unwanted }) },
    parameters,
  };
}

/** A picture takes some ten seconds. */
const INTERVAL_MS = 2_500;
/** Some four minutes. */
const POLLS_MAX = 100;
const UNFINISHED: ReadonlySet<string> = new Set(['PENDING', 'RUNNING']);

/** Asks for a task until it is done; the call's own deadline may end that before. */
async function finished(
  first: JsonObject,
  { channel }: UpstreamCall,
  ask: Ask,
): Promise<JsonObject | Response> {
  const url = `${channel.baseUrl}/api/v1/tasks/${encodeURIComponent(textOf(objectOf(first.output)?.task_id) ?? '')}`;
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    if (poll > 0) await Bun.sleep(INTERVAL_MS);
    const answer = await ask({ method: 'GET', url, headers: bearer(channel.key) });
    const body = parseJson(await readText(answer));
    if (!answer.ok || !isObject(body))
      return Response.json(body ?? null, { status: answer.ok ? 502 : answer.status });
    if (!UNFINISHED.has(textOf(objectOf(body.output)?.task_status) ?? '')) return body as JsonObject;
  }
  return refusal(504, { message: 'the picture was not ready in time', type: 'ali_error' });
}

const finish: Finish = finishJson(async (body, call, ask) => {
  const output = objectOf(body.output) ?? {};
  const done = textOf(output.task_id) && !output.results ? await finished(body, call, ask) : body;
  if (done instanceof Response) return done;
  const { results, choices, code, message } = objectOf(done.output) ?? {};
  const pictures = [...readResults(results), ...readChoices(choices)];
  if (pictures.length > 0) return picturesAnswer(pictures, call, ask);
  const told = { code: textOf(code) ?? '', message: textOf(message) || 'no picture was made' };
  return refusal(alibabaError({ ...told })?.status ?? 502, { ...told, type: 'ali_error' });
});

const readResults = (results: unknown): JsonObject[] =>
  (Array.isArray(results) ? results : []).flatMap((result: unknown): JsonObject[] => {
    const { url, b64_image } = objectOf(result) ?? {};
    if (textOf(url)) return [{ url }];
    return textOf(b64_image) ? [{ b64_json: b64_image }] : [];
  });

const readChoices = (choices: unknown): JsonObject[] =>
  (Array.isArray(choices) ? choices : []).flatMap((choice: unknown) => {
    const { content } = objectOf(objectOf(choice)?.message) ?? {};
    return (Array.isArray(content) ? content : []).flatMap((part: unknown) => {
      const url = textOf(objectOf(part)?.image);
      return url ? [{ url }] : [];
    });
  });

/** The header by which tasks are given. */
export const isTask = ({ operation, model }: Pick<UpstreamCall, 'operation' | 'model'>): boolean =>
  (operation === 'images' && !answersAtOnce(model)) || (operation === 'image-edits' && editsAsTask(model));

export const images: VendorOperation = {
  path: ({ model }) => ROOT + (answersAtOnce(model) ? AT_ONCE : '/text2image/image-synthesis'),
  write,
  finish,
};

function editOf(asked: JsonObject, model: string, pictures: readonly string[]): JsonObject {
  const prompt = textOf(asked.prompt) ?? '';
  const input = editsAsTask(model) ? { prompt, images: [...pictures] } : chatInput(prompt, pictures);
  return { model, input, parameters: parametersOf(asked) };
}

export const imageEdits: VendorOperation = {
  path: ({ model }) => ROOT + (editsAsTask(model) ? '/image2image/image-synthesis' : AT_ONCE),
  write: (asked, { model, form }) => (form ? asked : editOf(asked, model, pictureUrls(asked))),
  async upload({ asked, model }, form) {
    const pictures = await Promise.all(picturesOf(form).map((file) => dataUrlOf(file, form)));
    return jsonPayload(editOf(asked, model, pictures));
  },
  finish,
};
