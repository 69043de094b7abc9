/**
 * Chinese texts are Chinese: what else stands in them is a name. What fills their holes cannot bring English in either:
 * a hole takes a number, a text in both languages, or what is alike everywhere, by its type (`core/text.ts`).
 */
import { expect, test } from 'bun:test';
import { asIs, fill } from '../../src/core/text.ts';
import { chineseTexts } from './chinese.ts';

/** Names of products, formats and protocols, and units. */
const NAMES = `
  AI AiPy API Anthropic BotFather BytePlus CSV Claude Cookie DXT Dify English GIF Gemini GLM Midjourney GitHub Enterprise Server Google HTML HTTP HTTPS ID IP IPv JPEG KiB
  JSON JavaScript KB Linux DO Logo MB MCP Mac Markdown OIDC OpenAI PGlite PKCE PNG Perplexity Postgres QQ RPM SDK Seed SMTP SSL SVG Stripe TLS TOML TPM Telegram
  Turnstile UTC VIP Vertex WeChat WebP WebSocket Webhook Windows Bot curl xAI http https agent chatflow
`;

/** What is typed or read as it is spelled, where it is: fields, values, headers, variables, parts of keys and addresses. */
const SPELLINGS: Readonly<Record<string, string>> = {
  'core/errors/channels.ts': 'xx',
  'core/errors/desk.ts': 'demo report xlsx',
  'core/errors/relay.ts': 'store false',
  'core/errors/suppliers.ts': 'Key claude openai',
  'core/links.ts': 'app example com key',
  'dialects/bounds.ts': 'base64',
  'dialects/media.ts': 'base64',
  'src/modules/auth/': 'PRIVATE_EGRESS',
  'channel/openings.ts': 'shared_context',
  'modules/task/longer.ts': 'seconds',
  'modules/task/rows.ts': 'ids',
  'options/aff-quota.ts': 'expires invitee inviter limit',
  'options/checks.ts': 'app example com',
  'options/define.ts': 'true false',
  'options/drawing.ts': 'accountFilter fast notifyHook relax turbo',
  'options/mail.ts': 'Access Key AppID GET Secret SecretId code',
  'options/models.ts': 'anthropic-beta default max_tokens thinking',
  'options/operation.ts': 'Bearer X-Webhook-Signature billing dashboard',
  'options/other.ts': 'dxt',
  'options/pricing.ts':
    'by_calls cache_read cache_write deep_research default gpt input max max_content_tokens mcp_list_tools messages month output per_second refused_content responses seconds sizes thinking tiers to tool true tts up_to uses web_fetch web_search_options',
  'options/request-quota.ts': 'key mcp Streamable url',
  'options/sign-in.ts': 'ABC PRIVATE_EGRESS by connect.linux.do github com login oauth password setdomain',
  'options/system.ts': 'SERVER_ADDRESS app example com',
  'options/tiered-price.ts': 'null up_to',
  'options/wallet.ts': 'USD Unix alipay api expires limit notify php ratio stripe submit user wxpay',
  'baidu/provider.ts': 'APIKey SecretKey',
  'providers/custom.ts': 'null stream_options',
  'providers/gemini.ts': 'beta',
  'anthropic-messages/request-facts.ts': 'output_config format',
  'bedrock/provider.ts': 'AccessKey ApiKey Region SecretKey SessionToken',
  'plain/midjourney.ts': 'REROLL UPSCALE VARIATION',
  'providers/google-videos.ts': 'data',
  'providers/midjourney.ts': 'mj',
  'providers/suno.ts': 'suno',
  'providers/zhipu-v4.ts': 'Z.ai',
  'tencent/provider.ts': 'AppId SecretId SecretKey',
  'vertex/provider.ts': 'client_email private_key project_id',
  'relay/charge/suspects.ts': 'stream_options',
  'src/relay/entry/': 'Mcp-Session-Id multipart form-data ids notifyHook',
  'zh/admin-log.json': 'user',
  'zh/channel.json': 'force_format headers max_tokens model proxy stream system_prompt xx',
  'zh/custom-model.json': 'Key',
  'zh/desk.json': 'demo report xlsx',
  'zh/drawing.json': 'mj',
  'zh/personal.json': 'POST',
  'zh/prices.json': 'tti ttv',
  'zh/setting.json': 'address key',
  'zh/supplier.json': 'claude',
  'zh/token.json': 'sk',
};

const wordsOf = (text: string): string[] => text.match(/[A-Za-z]{2,}/g) ?? [];

const names = new Set(wordsOf(NAMES));

/** A page in one language, into which the label of a field is put. */
const ENGLISH_PAGES = ['src/http/wechat-frame.ts'];

test('Chinese texts hold no English word that is no name and is not spelled there', async () => {
  const texts = await chineseTexts();
  expect(texts.length).toBeGreaterThan(1_500);
  const found = texts
    .filter(({ place }) => !ENGLISH_PAGES.some((page) => place.startsWith(page)))
    .map(({ place, text }) => ({ place, words: wordsOf(text).filter((word) => !names.has(word)) }));
  const spelledAt = (place: string): string[] =>
    Object.keys(SPELLINGS).filter((part) => place.includes(part));
  const strange = found.flatMap(({ place, words }) => {
    const spelled = new Set(spelledAt(place).flatMap((part) => wordsOf(SPELLINGS[part] ?? '')));
    const unknown = words.filter((word) => !spelled.has(word));
    return unknown.length > 0 ? [`${place}: ${unknown.join(' ')}`] : [];
  });
  expect(strange).toEqual([]);
  // Nothing is let in where nobody writes it.
  const unused = Object.entries(SPELLINGS).flatMap(([part, spelling]) => {
    const used = new Set(
      found.filter(({ place }) => spelledAt(place).includes(part)).flatMap(({ words }) => words),
    );
    return wordsOf(spelling).flatMap((word) =>
      used.has(word) || names.has(word) ? [] : [`${part}: ${word}`],
    );
  });
  expect(unused).toEqual([]);
});

test('what fills a hole is read in the same language, and never read again for holes', () => {
  const text = { zh: '{a}：{b}', en: '{a}: {b}' };
  const given: string = '{b}';
  const values = { a: asIs(given), b: { zh: '没有', en: 'none' } };
  expect([fill(text, values, 'zh'), fill(text, values, 'en')]).toEqual(['{b}：没有', '{b}: none']);
  // @ts-expect-error words of ours are written in both languages
  asIs('no answer');
});
