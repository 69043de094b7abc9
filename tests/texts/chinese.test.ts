/**
 * Chinese texts are Chinese: what else stands in them is a name. What fills their holes cannot bring English in either:
 * a hole takes a number, a text in both languages, or what is alike everywhere, by its type (`core/text.ts`).
 */
import { expect, test } from 'bun:test';
import { asIs, fill } from '../../src/core/text.ts';
import { chineseTexts } from './chinese.ts';

/** Names of products, formats and protocols, and units. */
const NAMES = `
  API Anthropic BotFather CSV Claude Cookie Dify English GIF Gemini GitHub Enterprise Server Google HTTP HTTPS ID IP JPEG
  JSON JavaScript KB Linux DO Logo OIDC OpenAI PGlite PNG Perplexity Postgres RPM SDK SMTP SSL SVG TLS TPM Telegram
  Turnstile VIP WeChat WebP WebSocket Webhook Bot curl http https agent chatflow
`;

/** What is typed or read as it is spelled: fields, values, headers, variables, parts of keys and addresses. */
const SPELLINGS = `
  ABC APIKey AccessKey Access Key ApiKey AppID AppId Region Secret SecretId SecretKey SessionToken Bearer GET POST
  PRIVATE_EGRESS SERVER_ADDRESS X-Webhook-Signature accountFilter aliyun always anthropic-beta app billing by
  cache_read cache_write client_email code com connect dashboard data deep_research default do example expires fast
  first_topup force_format form github headers input invitee inviter key limit linux log login max_tokens model month
  multipart null oauth once output password private_key project_id proxy register relax setdomain sk stream
  system_prompt tencent thinking tiers tool topup calls uses true false tti ttv turbo up_to user verified email id xx
`;

const allowed = new Set(`${NAMES} ${SPELLINGS}`.split(/[\s_-]+/).filter(Boolean));

/** A page in one language, into which the label of a field is put. */
const ENGLISH_PAGES = ['src/http/wechat-frame.ts'];

test('Chinese texts hold no English word that is no name', async () => {
  const texts = await chineseTexts();
  expect(texts.length).toBeGreaterThan(1_500);
  const strange = texts
    .filter(({ place }) => !ENGLISH_PAGES.some((page) => place.startsWith(page)))
    .flatMap(({ place, text }) => {
      const words = [...text.matchAll(/[A-Za-z]{2,}/g)].map(([word]) => word);
      const unknown = words.filter((word) => !allowed.has(word));
      return unknown.length > 0 ? [`${place}: ${unknown.join(' ')}`] : [];
    });
  expect(strange).toEqual([]);
});

test('what fills a hole is read in the same language, and never read again for holes', () => {
  const text = { zh: '{a}：{b}', en: '{a}: {b}' };
  const given: string = '{b}';
  const values = { a: asIs(given), b: { zh: '没有', en: 'none' } };
  expect([fill(text, values, 'zh'), fill(text, values, 'en')]).toEqual(['{b}：没有', '{b}: none']);
  // @ts-expect-error words of ours are written in both languages
  asIs('no answer');
});
