/** Options of single model families. */
import { z } from 'zod';
import { option } from './define.ts';

const gemini = { panel: 'models', block: 'gemini' } as const;
const claude = { panel: 'models', block: 'claude' } as const;

const SAFETY_THRESHOLDS = [
  'OFF',
  'BLOCK_NONE',
  'BLOCK_ONLY_HIGH',
  'BLOCK_MEDIUM_AND_ABOVE',
  'BLOCK_LOW_AND_ABOVE',
] as const;

/** What a header can carry: a call with any other fails. */
const headerValue = z.string().regex(/^[\x20-\x7e]*$/);

export const models = {
  'global.pass_through_request_enabled': option.boolean({
    default: false,
    place: { panel: 'models', block: 'global' },
    label: { zh: '透传请求内容', en: 'Pass request bodies through' },
    help: {
      zh: '请求内容不经转换直接发往上游，只在两端格式相同时可用',
      en: 'Bodies go upstream unconverted; only where both sides speak the same format.',
    },
  }),
  'gemini.safety_settings': option.json({
    default: { default: 'OFF', HARM_CATEGORY_CIVIC_INTEGRITY: 'BLOCK_NONE' },
    shape: z.record(z.string().min(1), z.enum(SAFETY_THRESHOLDS)),
    place: gemini,
    label: { zh: 'Gemini 安全设置', en: 'Gemini safety settings' },
    help: {
      zh: 'JSON，类别 → 阈值；default 用于其余类别',
      en: 'JSON: category → threshold; default is for all others.',
    },
  }),
  'gemini.version_settings': option.json({
    default: { default: 'v1beta', 'gemini-1.0-pro': 'v1' },
    shape: z.record(z.string().min(1), z.string().regex(/^v\d+[a-z0-9]*$/)),
    place: gemini,
    label: { zh: 'Gemini 接口版本', en: 'Gemini API version' },
    help: {
      zh: 'JSON，模型 → 版本；default 用于其余模型',
      en: 'JSON: model → version; default is for all others.',
    },
  }),
  'claude.model_headers_settings': option.json({
    default: {},
    shape: z.record(
      z.string().min(1),
      z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.union([headerValue, z.array(headerValue)])),
    ),
    place: claude,
    label: { zh: 'Claude 附加请求头', en: 'Extra headers for Claude' },
    help: {
      zh: 'JSON，模型 → 请求头名 → 值，例如 anthropic-beta',
      en: 'JSON: model → header → value, for example anthropic-beta.',
    },
  }),
  'claude.default_max_tokens': option.json({
    default: { default: 8_192, 'claude-3-haiku-20240307': 4_096, 'claude-3-opus-20240229': 4_096 },
    shape: z.record(z.string().min(1), z.number().int().min(1).max(10_000_000)),
    place: claude,
    label: { zh: 'Claude 默认 max_tokens', en: 'Default max_tokens of Claude' },
    help: {
      zh: 'JSON，模型 → 数量；default 用于其余模型',
      en: 'JSON: model → number; default is for all others.',
    },
  }),
  'claude.thinking_adapter_enabled': option.boolean({
    default: true,
    place: claude,
    label: { zh: 'Claude 思考适配', en: 'Claude thinking adapter' },
    help: {
      zh: '模型名以 -thinking 结尾时开启思考',
      en: 'A model name that ends in -thinking turns thinking on.',
    },
  }),
  'claude.thinking_adapter_budget_tokens_percentage': option.decimal({
    default: 0.8,
    min: 0.1,
    max: 1,
    place: claude,
    label: { zh: '思考预算占 max_tokens 的比例', en: 'Share of max_tokens for thinking' },
  }),
};
