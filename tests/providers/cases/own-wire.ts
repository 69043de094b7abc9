/**
 * What each provider with a wire of its own must send for one and the same chat, and what its vendor answers: the
 * shapes of the vendors' own documents. One case a type.
 */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '../../../src/core/json.ts';
import { writeChunk } from '../../dialects/aws-events.ts';
import type { VendorCall } from '../../support/vendor.ts';

export interface Sent {
  url: string;
  method?: string;
  /** All that the record sets; a function looks at what differs from call to call. */
  headers: Record<string, string | ((value: string, call: VendorCall) => boolean)>;
  body: JsonObject;
}

export interface OwnWireCase {
  type: number;
  label: string;
  key: string;
  /** Nothing of it may be seen by a caller or in a log. */
  secrets: string[];
  model: string;
  channel: JsonObject;
  /** The exchange of the key for a token, where there is one. */
  exchange?: { path: string; sent(call: VendorCall): boolean; answer: JsonObject };
  plain: Sent & { answer: JsonObject | string };
  stream: Sent & { frames: readonly (string | Uint8Array)[]; type?: string };
  /** Null where the vendor tells none. */
  usage: readonly [input: number, output: number] | null;
  /** The vendor's words for a key that is no good, for too many calls, and for its own trouble. */
  errors: Record<401 | 429 | 500, { status: number; body: JsonObject | string }>;
  /** Spoken over a websocket. */
  socket?: boolean;
  models?: { url: string; answer: JsonObject; names: string[] };
}

/** When the calls are made, so that signatures are always the same. */
export const AT = new Date(1_700_000_000_000);

/** What the caller sends, with the case's model. */
export const ownWireRequest: JsonObject = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
  ],
  max_tokens: 50,
  temperature: 0.5,
};

const json = { 'content-type': 'application/json' };
const sse = { accept: 'text/event-stream' };
const plainJson = { accept: 'application/json' };
const data = (value: JsonObject): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: JsonObject): string => `event: ${value.type}\n${data(value)}`;

// ---- Anthropic's body, as three vendors take it -------------------------------------------------------------------

const claudeBody: JsonObject = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'hi' }],
  max_tokens: 50,
  temperature: 0.5,
};
const claudeAnswer: JsonObject = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 4, output_tokens: 2 },
};
const claudeEvents: JsonObject[] = [
  {
    type: 'message_start',
    message: {
      ...claudeAnswer,
      content: [],
      stop_reason: null,
      usage: { input_tokens: 4, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 2 },
  },
  { type: 'message_stop' },
];
const claudeErrors = (secret: string) => {
  const error = (type: string) => ({ type: 'error', error: { type, message: `no ${secret}` } });
  return {
    401: { status: 401, body: error('authentication_error') },
    429: { status: 429, body: error('rate_limit_error') },
    500: { status: 500, body: error('api_error') },
  };
};

// ---- Google's body ------------------------------------------------------------------------------------------------

const SAFETY = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'].map((word) => ({
  category: `HARM_CATEGORY_${word}`,
  threshold: 'OFF',
}));
const geminiBody: JsonObject = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
  generationConfig: { maxOutputTokens: 50, temperature: 0.5 },
  safetySettings: [...SAFETY, { category: 'HARM_CATEGORY_CIVIC_INTEGRITY', threshold: 'BLOCK_NONE' }],
};
const geminiAnswer = (finish: boolean): JsonObject => ({
  candidates: [
    {
      content: { parts: [{ text: 'ok' }], role: 'model' },
      index: 0,
      ...(finish ? { finishReason: 'STOP' } : {}),
    },
  ],
  usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 },
  modelVersion: 'gemini-x',
});
const googleErrors = (secret: string) => {
  const error = (code: number, status: string, more: JsonObject = {}) => ({
    error: { code, message: `no ${secret}`, status, ...more },
  });
  return {
    401: {
      status: 400,
      body: error(400, 'INVALID_ARGUMENT', {
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
      }),
    },
    429: { status: 429, body: error(429, 'RESOURCE_EXHAUSTED') },
    500: { status: 500, body: error(500, 'INTERNAL') },
  };
};

// ---- Signatures, reckoned here once more --------------------------------------------------------------------------

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

/** TC3-HMAC-SHA256 over what came. */
function isSignedByTc3(value: string, { url, text, headers }: VendorCall): boolean {
  const canonical = [
    'POST',
    '/',
    '',
    `content-type:${headers['content-type']}`,
    `host:${url.host}`,
    'x-tc-action:chatcompletions',
    '',
    'content-type;host;x-tc-action',
    hash(text),
  ].join('\n');
  const scope = '2023-11-14/hunyuan/tc3_request';
  const key = ['2023-11-14', 'hunyuan', 'tc3_request'].reduce<string | Buffer>(hmac, 'TC3tc-secret-key');
  const signature = hmac(
    key,
    `TC3-HMAC-SHA256\n${headers['x-tc-timestamp']}\n${scope}\n${hash(canonical)}`,
  ).toString('hex');
  return (
    value ===
    `TC3-HMAC-SHA256 Credential=tc-secret-id/${scope}, SignedHeaders=content-type;host;x-tc-action, Signature=${signature}`
  );
}

/** SigV4 over what came: the path is encoded once more than on the wire. */
function isSignedByAws(value: string, { method, url, text, headers }: VendorCall): boolean {
  const canonical = [
    method,
    url.pathname.split('/').map(encodeURIComponent).join('/'),
    '',
    'accept:application/json',
    'content-type:application/json',
    `host:${url.host}`,
    `x-amz-date:${headers['x-amz-date']}`,
    '',
    'accept;content-type;host;x-amz-date',
    hash(text),
  ].join('\n');
  const scope = '20231114/us-east-1/bedrock/aws4_request';
  const key = ['20231114', 'us-east-1', 'bedrock', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    'AWS4aws-secret-key',
  );
  const signature = hmac(key, `AWS4-HMAC-SHA256\n20231114T221320Z\n${scope}\n${hash(canonical)}`).toString(
    'hex',
  );
  return (
    value ===
    `AWS4-HMAC-SHA256 Credential=AWSKEYID/${scope}, SignedHeaders=accept;content-type;host;x-amz-date, Signature=${signature}`
  );
}

/** Zhipu's token: good for a day, times in milliseconds. */
function isZhipuToken(value: string): boolean {
  const [head = '', claims = '', signature] = value.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const { exp, timestamp, api_key } = read(claims);
  return (
    JSON.stringify(read(head)) === '{"alg":"HS256","sign_type":"SIGN"}' &&
    api_key === 'zhipuid' &&
    exp === timestamp + 86_400_000 &&
    hmac('zhipusecret', `${head}.${claims}`).toString('base64url') === signature
  );
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const account: JsonObject = {
  type: 'service_account',
  project_id: 'proj',
  private_key_id: 'kid-vertex-1',
  private_key: pem,
  client_email: 'relay@proj.iam.gserviceaccount.com',
  token_uri: 'http://oauth2.googleapis.com/token',
};

const isGoogleGrant = ({ text }: VendorCall): boolean => {
  const form = new URLSearchParams(text);
  const [, claims = ''] = form.get('assertion')?.split('.') ?? [];
  const { iss, aud, scope } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  return (
    form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
    iss === account.client_email &&
    aud === account.token_uri &&
    scope === 'https://www.googleapis.com/auth/cloud-platform'
  );
};

// ---- The cases ----------------------------------------------------------------------------------------------------

const anthropic: OwnWireCase = {
  type: 14,
  label: 'Claude',
  key: 'sk-ant-case-0123456789',
  secrets: ['sk-ant-case-0123456789'],
  model: 'claude-sonnet-4-5',
  channel: { base_url: 'http://api.anthropic.com' },
  plain: {
    url: 'http://api.anthropic.com/v1/messages',
    headers: {
      ...json,
      ...plainJson,
      'x-api-key': 'sk-ant-case-0123456789',
      'anthropic-version': '2023-06-01',
    },
    body: { ...claudeBody, model: 'claude-sonnet-4-5' },
    answer: claudeAnswer,
  },
  stream: {
    url: 'http://api.anthropic.com/v1/messages',
    headers: { ...json, ...sse, 'x-api-key': 'sk-ant-case-0123456789', 'anthropic-version': '2023-06-01' },
    body: { ...claudeBody, model: 'claude-sonnet-4-5', stream: true },
    frames: claudeEvents.map(named),
  },
  usage: [4, 2],
  errors: claudeErrors('sk-ant-case-0123456789'),
  models: {
    url: 'http://api.anthropic.com/v1/models?limit=1000',
    answer: { data: [{ type: 'model', id: 'claude-a', display_name: 'A' }], has_more: false },
    names: ['claude-a'],
  },
};

const gemini: OwnWireCase = {
  type: 24,
  label: 'Gemini',
  key: 'AIzaCase0123456789',
  secrets: ['AIzaCase0123456789'],
  model: 'gemini-2.5-flash',
  channel: { base_url: 'http://generativelanguage.googleapis.com' },
  plain: {
    url: 'http://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent',
    headers: { ...json, 'x-goog-api-key': 'AIzaCase0123456789' },
    body: geminiBody,
    answer: geminiAnswer(true),
  },
  stream: {
    url: 'http://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    headers: { ...json, 'x-goog-api-key': 'AIzaCase0123456789' },
    body: geminiBody,
    frames: [data(geminiAnswer(true)).replaceAll('\n', '\r\n')],
  },
  usage: [4, 2],
  errors: googleErrors('AIzaCase0123456789'),
  models: {
    url: 'http://generativelanguage.googleapis.com/v1beta/models?pageSize=1000',
    answer: { models: [{ name: 'models/gemini-a' }] },
    names: ['gemini-a'],
  },
};

const vertexUrl =
  'http://us-central1-aiplatform.googleapis.com/v1/projects/proj/locations/us-central1/publishers/google/models/gemini-2.5-pro:';
const vertex: OwnWireCase = {
  type: 41,
  label: 'Vertex AI',
  key: JSON.stringify(account),
  secrets: ['kid-vertex-1', 'ya29.case-token', pem.split('\n')[1] ?? '', 'relay@proj.iam'],
  model: 'gemini-2.5-pro',
  channel: {
    base_url: 'http://us-central1-aiplatform.googleapis.com',
    other: '{"default":"us-central1","claude-3-5-sonnet-20240620":"europe-west1"}',
  },
  exchange: {
    path: '/token',
    sent: isGoogleGrant,
    answer: { access_token: 'ya29.case-token', expires_in: 3599, token_type: 'Bearer' },
  },
  plain: {
    url: `${vertexUrl}generateContent`,
    headers: { ...json, authorization: 'Bearer ya29.case-token' },
    body: geminiBody,
    answer: geminiAnswer(true),
  },
  stream: {
    url: `${vertexUrl}streamGenerateContent?alt=sse`,
    headers: { ...json, authorization: 'Bearer ya29.case-token' },
    body: geminiBody,
    frames: [data(geminiAnswer(true))],
  },
  usage: [4, 2],
  errors: {
    ...googleErrors('ya29.case-token'),
    401: {
      status: 401,
      body: { error: { code: 401, message: 'no ya29.case-token', status: 'UNAUTHENTICATED' } },
    },
  },
};

const bedrockUrl =
  'http://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-3-haiku-20240307-v1%3A0/';
const bedrock: OwnWireCase = {
  type: 33,
  label: 'AWS Claude',
  key: 'AWSKEYID|aws-secret-key|us-east-1',
  secrets: ['AWSKEYID', 'aws-secret-key'],
  model: 'claude-3-haiku-20240307',
  channel: { base_url: 'http://bedrock-runtime.us-east-1.amazonaws.com' },
  plain: {
    url: `${bedrockUrl}invoke`,
    headers: { ...json, ...plainJson, 'x-amz-date': '20231114T221320Z', authorization: isSignedByAws },
    body: { anthropic_version: 'bedrock-2023-05-31', ...claudeBody },
    answer: claudeAnswer,
  },
  stream: {
    url: `${bedrockUrl}invoke-with-response-stream`,
    headers: { ...json, ...plainJson, 'x-amz-date': '20231114T221320Z', authorization: isSignedByAws },
    body: { anthropic_version: 'bedrock-2023-05-31', ...claudeBody },
    frames: claudeEvents.map((event) => writeChunk(event)),
    type: 'application/vnd.amazon.eventstream',
  },
  usage: [4, 2],
  errors: {
    401: {
      status: 403,
      body: { message: 'The security token AWSKEYID included in the request is invalid.' },
    },
    429: { status: 429, body: { message: 'Too many requests' } },
    500: { status: 500, body: { message: 'aws-secret-key broke' } },
  },
  models: {
    url: 'http://bedrock-runtime.us-east-1.amazonaws.com/foundation-models',
    answer: { modelSummaries: [{ modelId: 'anthropic.claude-a' }] },
    names: ['anthropic.claude-a'],
  },
};

const bearerOf = (key: string) => ({ authorization: `Bearer ${key}` });

const cohere: OwnWireCase = {
  type: 34,
  label: 'Cohere',
  key: 'cohere-case-key-0123',
  secrets: ['cohere-case-key-0123'],
  model: 'command-r-plus',
  channel: { base_url: 'http://api.cohere.ai' },
  plain: {
    url: 'http://api.cohere.ai/v2/chat',
    headers: { ...json, ...plainJson, ...bearerOf('cohere-case-key-0123') },
    body: {
      model: 'command-r-plus',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      max_tokens: 50,
      temperature: 0.5,
      stream: false,
    },
    answer: {
      id: 'c1',
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
      usage: {
        billed_units: { input_tokens: 1, output_tokens: 2 },
        tokens: { input_tokens: 4, output_tokens: 2 },
      },
    },
  },
  stream: {
    url: 'http://api.cohere.ai/v2/chat',
    headers: { ...json, ...sse, ...bearerOf('cohere-case-key-0123') },
    body: {
      model: 'command-r-plus',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      max_tokens: 50,
      temperature: 0.5,
      stream: true,
    },
    frames: [
      { id: 'c1', type: 'message-start', delta: { message: { role: 'assistant', content: [] } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'ok' } } } },
      { type: 'content-end', index: 0 },
      {
        type: 'message-end',
        delta: {
          finish_reason: 'COMPLETE',
          usage: {
            billed_units: { input_tokens: 1, output_tokens: 2 },
            tokens: { input_tokens: 4, output_tokens: 2 },
          },
        },
      },
    ].map(named),
  },
  usage: [1, 2],
  errors: {
    401: { status: 401, body: { message: 'invalid api token cohere-case-key-0123' } },
    429: { status: 429, body: { message: 'slow down' } },
    500: { status: 500, body: { message: 'cohere-case-key-0123 broke' } },
  },
  models: {
    url: 'http://api.cohere.ai/v1/models?page_size=1000',
    answer: { models: [{ name: 'command-a' }] },
    names: ['command-a'],
  },
};

const baiduUrl =
  'http://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions?access_token=24.case-token';
const baiduBody = (stream: boolean): JsonObject => ({
  messages: [{ role: 'user', content: 'hi' }],
  system: 'Be brief.',
  temperature: 0.5,
  max_output_tokens: 50,
  disable_search: false,
  enable_citation: false,
  stream,
});
const baidu: OwnWireCase = {
  type: 15,
  label: 'Baidu Wenxin',
  key: 'baidu-api-key|baidu-secret-key',
  secrets: ['baidu-api-key', 'baidu-secret-key', '24.case-token'],
  model: 'ERNIE-3.5-8K',
  channel: { base_url: 'http://aip.baidubce.com' },
  exchange: {
    path: '/oauth/2.0/token',
    sent: ({ url, method }) =>
      method === 'POST' &&
      url.search === '?grant_type=client_credentials&client_id=baidu-api-key&client_secret=baidu-secret-key',
    answer: { access_token: '24.case-token', expires_in: 2_592_000 },
  },
  plain: {
    url: baiduUrl,
    headers: json,
    body: baiduBody(false),
    answer: {
      id: 'as-1',
      object: 'chat.completion',
      created: 1,
      result: 'ok',
      is_truncated: false,
      need_clear_history: false,
      finish_reason: 'normal',
      usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
    },
  },
  stream: {
    url: baiduUrl,
    headers: json,
    body: baiduBody(true),
    frames: [
      data({ id: 'as-1', created: 1, sentence_id: 0, is_end: false, result: 'o' }),
      data({
        id: 'as-1',
        created: 1,
        sentence_id: 1,
        is_end: true,
        result: 'k',
        finish_reason: 'normal',
        usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
      }),
    ],
  },
  usage: [4, 2],
  errors: {
    401: { status: 200, body: { error_code: 110, error_msg: 'Access token 24.case-token invalid' } },
    429: { status: 200, body: { error_code: 18, error_msg: 'Open api qps request limit reached' } },
    500: { status: 200, body: { error_code: 336000, error_msg: 'Internal error baidu-secret-key' } },
  },
};

const zhipuUrl = 'http://open.bigmodel.cn/api/paas/v3/model-api/chatglm_turbo/';
const zhipuBody: JsonObject = {
  prompt: [
    { role: 'user', content: 'Be brief.' },
    { role: 'assistant', content: 'Okay' },
    { role: 'user', content: 'hi' },
  ],
  temperature: 0.5,
  incremental: true,
};
const zhipu: OwnWireCase = {
  type: 16,
  label: 'Zhipu ChatGLM',
  key: 'zhipuid.zhipusecret',
  secrets: ['zhipuid.zhipusecret', 'zhipusecret'],
  model: 'chatglm_turbo',
  channel: { base_url: 'http://open.bigmodel.cn' },
  plain: {
    url: `${zhipuUrl}invoke`,
    headers: { ...json, authorization: isZhipuToken },
    body: zhipuBody,
    answer: {
      code: 200,
      msg: 'ok',
      success: true,
      data: {
        task_id: 't1',
        choices: [{ role: 'assistant', content: '"ok"' }],
        usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
      },
    },
  },
  stream: {
    url: `${zhipuUrl}sse-invoke`,
    headers: { ...json, authorization: isZhipuToken },
    body: zhipuBody,
    frames: [
      'event:add\nid:1\ndata:o\n\n',
      'event:add\nid:1\ndata:k\n\n',
      'event:finish\nid:1\ndata:\nmeta:{"task_id":"t1","task_status":"SUCCESS","usage":{"prompt_tokens":4,"completion_tokens":2,"total_tokens":6}}\n\n',
    ],
  },
  usage: [4, 2],
  errors: {
    401: { status: 200, body: { success: false, code: 1002, msg: 'token of zhipusecret is no good' } },
    429: { status: 200, body: { success: false, code: 1302, msg: 'too many' } },
    500: { status: 200, body: { success: false, code: 500, msg: 'broke' } },
  },
};

const tencentHeaders = {
  ...json,
  authorization: isSignedByTc3,
  'x-tc-action': 'ChatCompletions',
  'x-tc-version': '2023-09-01',
  'x-tc-timestamp': '1700000000',
};
const tencentBody = (stream: boolean): JsonObject => ({
  Model: 'hunyuan-lite',
  Messages: [
    { Role: 'system', Content: 'Be brief.' },
    { Role: 'user', Content: 'hi' },
  ],
  Stream: stream,
  Temperature: 0.5,
});
const tencentError = (code: string) => ({
  status: 200,
  body: { Response: { Error: { Code: code, Message: 'tc-secret-key tc-secret-id' }, RequestId: 'r' } },
});
const tencent: OwnWireCase = {
  type: 23,
  label: 'Tencent Hunyuan',
  key: 'tc-app|tc-secret-id|tc-secret-key',
  secrets: ['tc-secret-id', 'tc-secret-key'],
  model: 'hunyuan-lite',
  channel: { base_url: 'http://hunyuan.tencentcloudapi.com' },
  plain: {
    url: 'http://hunyuan.tencentcloudapi.com/',
    headers: tencentHeaders,
    body: tencentBody(false),
    answer: {
      Response: {
        RequestId: 'r',
        Note: 'n',
        Choices: [{ Message: { Role: 'assistant', Content: 'ok' }, FinishReason: 'stop' }],
        Created: 1,
        Id: 'i',
        Usage: { PromptTokens: 4, CompletionTokens: 2, TotalTokens: 6 },
      },
    },
  },
  stream: {
    url: 'http://hunyuan.tencentcloudapi.com/',
    headers: tencentHeaders,
    body: tencentBody(true),
    frames: ['', 'stop'].map((FinishReason) =>
      data({
        Note: 'n',
        Choices: [{ Delta: { Role: 'assistant', Content: FinishReason ? 'k' : 'o' }, FinishReason }],
        Created: 1,
        Id: 'i',
        Usage: { PromptTokens: 4, CompletionTokens: FinishReason ? 2 : 1, TotalTokens: 6 },
      }),
    ),
  },
  usage: [4, 2],
  errors: {
    401: tencentError('AuthFailure.SignatureFailure'),
    429: tencentError('RequestLimitExceeded'),
    500: tencentError('InternalError'),
  },
};

const sparkFrame = (status: number, content: string, more: JsonObject = {}) =>
  JSON.stringify({
    header: { code: 0, message: 'Success', sid: 's', status },
    payload: { choices: { status, seq: 0, text: [{ content, role: 'assistant', index: 0 }] }, ...more },
  });
const sparkBody: JsonObject = {
  header: { app_id: 'sparkapp' },
  parameter: { chat: { domain: 'generalv3.5', temperature: 0.5, max_tokens: 50 } },
  payload: {
    message: {
      text: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    },
  },
};
const sparkError = (code: number) => ({
  status: 101,
  body: JSON.stringify({ header: { code, message: 'sparksecret sparkapikey', sid: 's', status: 2 } }),
});
const xunfei: OwnWireCase = {
  type: 18,
  label: 'Xunfei Spark',
  key: 'sparkapp|sparksecret|sparkapikey',
  secrets: ['sparksecret', 'sparkapikey'],
  model: 'SparkDesk-v3.5',
  channel: { base_url: '{vendor}' },
  socket: true,
  plain: { url: '{vendor}/v3.5/chat', method: 'GET', headers: {}, body: sparkBody, answer: {} },
  stream: {
    url: '{vendor}/v3.5/chat',
    method: 'GET',
    headers: {},
    body: sparkBody,
    frames: [
      sparkFrame(0, 'o'),
      sparkFrame(2, 'k', {
        usage: { text: { question_tokens: 1, prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 } },
      }),
    ],
  },
  usage: [4, 2],
  errors: { 401: sparkError(11200), 429: sparkError(11202), 500: sparkError(10110) },
};

const difyBody: JsonObject = {
  inputs: {},
  query: 'SYSTEM: \nBe brief.\nUSER: \nhi\n',
  response_mode: 'streaming',
  user: 'tollgate',
  auto_generate_name: false,
  files: [],
};
const difyFrames = [
  { event: 'message', task_id: 't', message_id: 'm', conversation_id: 'c', answer: 'ok', created_at: 1 },
  {
    event: 'message_end',
    conversation_id: 'c',
    metadata: { usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 } },
  },
].map(data);
const difyError = (status: number, code: string) => ({
  status,
  body: { code, message: 'app-case-key-0123', status },
});
const dify: OwnWireCase = {
  type: 37,
  label: 'Dify',
  key: 'app-case-key-0123',
  secrets: ['app-case-key-0123'],
  model: 'any-app',
  channel: { base_url: 'http://api.dify.ai' },
  plain: {
    url: 'http://api.dify.ai/v1/chat-messages',
    headers: { ...json, ...bearerOf('app-case-key-0123') },
    body: difyBody,
    answer: difyFrames.join(''),
  },
  stream: {
    url: 'http://api.dify.ai/v1/chat-messages',
    headers: { ...json, ...bearerOf('app-case-key-0123') },
    body: difyBody,
    frames: difyFrames,
  },
  usage: [4, 2],
  errors: {
    401: difyError(401, 'unauthorized'),
    429: difyError(429, 'rate_limit_error'),
    500: difyError(500, 'internal_server_error'),
  },
};

const aiProxyBody = (stream: boolean): JsonObject => ({
  model: 'library',
  query: 'hi',
  stream,
  libraryId: '123456',
});
const aiProxyError = (errCode: number) => ({
  status: 200,
  body: { success: false, errCode, message: 'aiproxy-case-key' },
});
const aiProxy: OwnWireCase = {
  type: 21,
  label: 'AI Proxy',
  key: 'aiproxy-case-key',
  secrets: ['aiproxy-case-key'],
  model: 'library',
  channel: { base_url: 'http://api.aiproxy.io', other: '123456' },
  plain: {
    url: 'http://api.aiproxy.io/api/library/ask',
    headers: { ...json, ...bearerOf('aiproxy-case-key') },
    body: aiProxyBody(false),
    answer: { success: true, answer: 'ok', documents: [] },
  },
  stream: {
    url: 'http://api.aiproxy.io/api/library/ask',
    headers: { ...json, ...bearerOf('aiproxy-case-key') },
    body: aiProxyBody(true),
    frames: [
      data({ content: 'ok', finish: false, model: 'm' }),
      data({ content: '', finish: true, model: 'm' }),
    ],
  },
  usage: null,
  errors: { 401: aiProxyError(401), 429: aiProxyError(429), 500: aiProxyError(500) },
};

const palmUrl = 'http://generativelanguage.googleapis.com/v1beta2/models/chat-bison-001:generateMessage';
const palmBody: JsonObject = {
  prompt: { context: 'Be brief.', messages: [{ author: '0', content: 'hi' }] },
  temperature: 0.5,
};
const palmAnswer: JsonObject = { candidates: [{ author: '1', content: 'ok' }], messages: [] };
const palm: OwnWireCase = {
  type: 11,
  label: 'PaLM2',
  key: 'AIzaPalm0123456789',
  secrets: ['AIzaPalm0123456789'],
  model: 'PaLM-2',
  channel: { base_url: 'http://generativelanguage.googleapis.com' },
  plain: {
    url: palmUrl,
    headers: { ...json, 'x-goog-api-key': 'AIzaPalm0123456789' },
    body: palmBody,
    answer: palmAnswer,
  },
  stream: {
    url: palmUrl,
    headers: { ...json, 'x-goog-api-key': 'AIzaPalm0123456789' },
    body: palmBody,
    frames: [JSON.stringify(palmAnswer)],
    type: 'application/json',
  },
  usage: null,
  errors: googleErrors('AIzaPalm0123456789'),
};

export const ownWireCases: readonly OwnWireCase[] = [
  anthropic,
  gemini,
  vertex,
  bedrock,
  cohere,
  baidu,
  zhipu,
  tencent,
  xunfei,
  dify,
  aiProxy,
  palm,
];
