/** Workers AI's own calls, one address a model: texts, pictures, speech and what is made of speech. */
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { parseObject } from '../../core/json.ts';
import { isPaidByArea } from '../../core/picture-price.ts';
import { nowSec } from '../../core/time.ts';
import { compact, objectOf, objectsOf, textOf } from '../../dialects/fields.ts';
import { dataFrame, FrameSplitter, parseFrame } from '../../dialects/frames.ts';
import type { CallForm, Finish, UpstreamCall } from '../provider.ts';
import {
  finishJson,
  jsonPayload,
  picturesAnswer,
  pixelsOf,
  readBytes,
  refusal,
  type VendorOperation,
} from '../vendor-operation.ts';

/** Models have slashes in their names, which stay. */
const path = ({ model }: UpstreamCall): string =>
  `/run/${model.split('/').map(encodeURIComponent).join('/')}`;

const isJson = ({ headers }: Response): boolean => /json/i.test(headers.get('content-type') ?? '');

const empty = () => refusal(502, { message: 'its answer is empty' });

// ---- Texts -------------------------------------------------------------------------------------------------------

const completion = (call: UpstreamCall, said: string, finish: string | null, usage?: unknown): JsonObject =>
  compact({
    id: 'cmpl-workers',
    object: 'text_completion',
    created: nowSec(),
    model: call.requested,
    choices: [{ text: said, index: 0, logprobs: null, finish_reason: finish }],
    usage: usage === undefined ? undefined : (objectOf(usage) ?? {}),
  });

/** The frames of the service as OpenAI's: `{"response":"…"}` each, then the end mark. */
function asCompletions(answer: Response, call: UpstreamCall): Response {
  const splitter = new FrameSplitter();
  const encoder = new TextEncoder();
  let usage: unknown;
  const said = (frame: Uint8Array): string => {
    const body = parseObject(parseFrame(frame)?.data ?? '');
    if (!body) return '';
    usage = body.usage ?? usage;
    const said = textOf(body.response);
    return said ? dataFrame(JSON.stringify(completion(call, said, null))) : '';
  };
  const told = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const frame of splitter.push(chunk)) {
        const out = said(frame);
        if (out) controller.enqueue(encoder.encode(out));
      }
    },
    flush(controller) {
      const rest = splitter.rest();
      const out = rest ? said(rest) : '';
      const end = dataFrame(JSON.stringify(completion(call, '', 'stop', usage))) + dataFrame('[DONE]');
      controller.enqueue(encoder.encode(out + end));
    },
  });
  return new Response(answer.body?.pipeThrough(told), { headers: { 'content-type': 'text/event-stream' } });
}

const finishText: Finish = finishJson((body, call) => {
  const result = objectOf(body.result) ?? {};
  return completion(call, textOf(result.response) ?? '', 'stop', result.usage);
});

export const completions: VendorOperation = {
  path,
  write: (asked) =>
    compact({
      prompt: asked.prompt,
      max_tokens: asked.max_tokens,
      stream: asked.stream,
      temperature: asked.temperature,
      top_p: asked.top_p,
      seed: asked.seed,
      frequency_penalty: asked.frequency_penalty,
      presence_penalty: asked.presence_penalty,
    }),
  finish: async (answer, call, ask) =>
    call.stream && !isJson(answer) ? asCompletions(answer, call) : finishText(answer, call, ask),
};

// ---- Pictures ----------------------------------------------------------------------------------------------------

const finishPicture: Finish = finishJson((body, call, ask) => {
  const image = textOf(objectOf(body.result)?.image) ?? '';
  return image ? picturesAnswer([{ b64_json: image }], call, ask) : empty();
});

const tooLarge = () =>
  fail('invalid_request', {
    field: 'size',
    params: {
      reason: {
        zh: '此渠道绘制的图片最大为 1024x1024 像素，或为 1792x1024、1024x1792',
        en: 'this channel draws pictures of at most 1024x1024 pixels, or of 1792x1024 or 1024x1792',
      },
    },
  });

export const images: VendorOperation = {
  path,
  write(asked) {
    const [width, height] = pixelsOf(asked.size);
    // It charges by the area (its price list: tiles of 512x512).
    if (width !== undefined && height !== undefined && !isPaidByArea(width, height)) throw tooLarge();
    const { prompt, negative_prompt, num_steps, steps, guidance, seed, strength } = asked;
    return compact({ prompt, negative_prompt, width, height, num_steps, steps, guidance, seed, strength });
  },
  // Some models answer with the picture itself.
  async finish(answer, call, ask) {
    if (isJson(answer)) return finishPicture(answer, call, ask);
    const bytes = Buffer.from(await readBytes(answer)).toString('base64');
    return bytes ? Response.json(await picturesAnswer([{ b64_json: bytes }], call, ask)) : empty();
  },
};

// ---- Speech ------------------------------------------------------------------------------------------------------

const finishSound: Finish = finishJson((body) => {
  const sound = Buffer.from(textOf(objectOf(body.result)?.audio) ?? '', 'base64');
  return sound.length > 0 ? new Response(sound, { headers: { 'content-type': 'audio/mpeg' } }) : empty();
});

export const speech: VendorOperation = {
  path,
  write: (asked, { model }) =>
    /melotts/.test(model)
      ? compact({ prompt: asked.input, lang: asked.language ?? 'en' })
      : compact({ text: asked.input, speaker: asked.voice, encoding: asked.response_format }),
  // Some models answer with the sound itself.
  finish: async (answer, call, ask) => (isJson(answer) ? finishSound(answer, call, ask) : answer),
};

const soundOf = ({ files }: CallForm) => files.find(({ name }) => name === 'file') ?? files[0];

/** Whisper takes the bare bytes; its large model a body of JSON. */
export const transcriptions: VendorOperation = {
  path,
  async upload({ asked, model }, form) {
    const file = soundOf(form);
    const bytes = file ? await form.bytesOf(file) : new Uint8Array(0);
    const body = new Uint8Array(bytes);
    if (!/large-v3/.test(model)) return { body, contentType: 'application/octet-stream' };
    const { language, prompt } = asked;
    return jsonPayload(
      compact({
        audio: Buffer.from(body).toString('base64'),
        task: 'transcribe',
        language,
        initial_prompt: prompt,
      }),
    );
  },
  finish: finishJson((body, { asked }) => {
    const { text: said, words, vtt, transcription_info: info } = objectOf(body.result) ?? {};
    if (typeof said !== 'string') return empty();
    const plain = (told: string) => new Response(told, { headers: { 'content-type': 'text/plain' } });
    if (asked.response_format === 'text') return plain(said);
    if (asked.response_format === 'vtt' && typeof vtt === 'string') return plain(vtt);
    if (asked.response_format !== 'verbose_json') return { text: said };
    return compact({
      task: 'transcribe',
      language: objectOf(info)?.language,
      duration: objectOf(info)?.duration,
      text: said,
      words: objectsOf(words),
    });
  }),
};
