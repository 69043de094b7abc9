import { describe, expect, it } from 'bun:test';
import { AppError } from '../core/errors.ts';
import { defaultCallPriceOf, defaultMap, defaultPriceOf } from './default-ratios.ts';
import { readText } from './define.ts';
import { isOptionKey, type OptionKey, optionKeys, registry, specOf, subjects } from './registry.ts';
import { parseOption } from './store.ts';

/** Every option key that the three specification documents name. */
const SPECIFIED =
  `QuotaForNewUser QuotaForInviter QuotaForInvitee QuotaRemindThreshold PreConsumedQuota QuotaPerUnit
Price MinTopUp TopupGroupRatio TopUpLink general_setting.docs_link DisplayInCurrencyEnabled DisplayTokenStatEnabled
ModelRatio CacheRatio CompletionRatio ModelPrice ModelTieredPrice GroupRatio UserUsableGroups StreamCacheQueueLength
RetryTimes AutomaticDisableChannelEnabled AutomaticEnableChannelEnabled ChannelDisableThreshold
AutomaticDisableKeywords LogConsumeEnabled DataExportEnabled DataExportDefaultTime DataExportInterval
CheckSensitiveEnabled CheckSensitiveOnPromptEnabled CheckSensitiveOnCompletionEnabled StopOnSensitiveEnabled
SensitiveWords DrawingEnabled MjNotifyEnabled MjAccountFilterEnabled MjForwardUrlEnabled MjModeClearEnabled
MjActionCheckSuccessEnabled DefaultCollapseSidebar Chats DemoSiteEnabled SelfUseModeEnabled FuelPackEnabled
FuelPackLimit FuelPackQuota ModelRequestRateLimitEnabled ModelRequestRateLimitCount
ModelRequestRateLimitSuccessCount ModelRequestRateLimitDurationMinutes gemini.safety_settings
gemini.version_settings claude.model_headers_settings claude.thinking_adapter_enabled claude.default_max_tokens
claude.thinking_adapter_budget_tokens_percentage global.pass_through_request_enabled`.split(/\s+/);

const reasonOf = (key: keyof typeof registry, text: string) => {
  try {
    parseOption(key, text, { written: true });
  } catch (error) {
    if (error instanceof AppError) return { zh: error.text('zh'), en: error.text('en'), code: error.code };
    throw error;
  }
  return null;
};

describe('the option registry', () => {
  it('has every key that the specification names', () => {
    expect(SPECIFIED.filter((key) => !Object.hasOwn(registry, key))).toEqual([]);
  });

  it('declares each key in one file only', () => {
    const all = Object.values(subjects).flatMap((subject) => Object.keys(subject));
    expect(all.filter((key, at) => all.indexOf(key) !== at)).toEqual([]);
    expect(new Set(all)).toEqual(new Set(optionKeys));
  });

  it('gives every option its label and help in both languages', () => {
    const bad = optionKeys.filter((key) => {
      const { label, help } = specOf(key);
      return [label, help].some((text) => text && (!text.zh.trim() || !text.en.trim()));
    });
    expect(bad).toEqual([]);
  });

  it('gives each status field to one option only', () => {
    const fields = optionKeys.flatMap((key) => specOf(key).status ?? []);
    expect(fields.filter((field, at) => fields.indexOf(field) !== at)).toEqual([]);
  });

  it('names for every secret the options that form its address, but for those that go to one place', () => {
    const secrets = optionKeys.filter((key) => specOf(key).secret);
    const formedBy = (key: OptionKey) => specOf(key).destination?.formedBy ?? [];
    expect(secrets.filter((key) => !specOf(key).destination)).toEqual([]);
    expect(secrets.flatMap(formedBy).filter((key) => !isOptionKey(key))).toEqual([]);
    // Whoever adds one that goes to a fixed place says here that it is fixed.
    expect(secrets.filter((key) => formedBy(key).length === 0)).toEqual([
      'StripeSecretKey',
      'StripeWebhookSecret',
      'GoogleClientSecret',
      'TelegramBotToken',
    ]);
    // An option forms the address of one secret, so that both can be sent together.
    const all = secrets.flatMap(formedBy);
    expect(all.filter((key, at) => all.indexOf(key) !== at)).toEqual([]);
  });

  it.each(optionKeys)('reads the printed default of %s back as the default', (key) => {
    const spec = specOf(key);
    expect(readText(spec, spec.print(spec.default))).toEqual({ ok: true, value: spec.default });
  });

  it('never shows a secret in the status object', () => {
    expect(optionKeys.filter((key) => specOf(key).secret && specOf(key).status)).toEqual([]);
  });
});

describe('a value that does not fit', () => {
  const bad: [keyof typeof registry, string, string][] = [
    ['RetryTimes', '11', '10'],
    ['RetryTimes', '2.5', 'whole number'],
    ['RetryTimes', '', 'whole number'],
    ['Price', '-1', '0'],
    ['Price', '0', 'above 0'],
    ['Price', '0.000', 'above 0'],
    ['TopupGroupRatio', '{"default": 1, "vip": 0}', 'vip: must be above 0'],
    ['TopupGroupRatio', '{"default": 0.0}', 'default: must be above 0'],
    ['Price', 'NaN', 'number'],
    ['LogConsumeEnabled', 'yes', 'true or false'],
    ['DataExportDefaultTime', 'month', 'hour, day, week'],
    ['ModelRatio', '{"gpt-4o": 1.25', 'not a valid JSON string'],
    ['ModelRatio', '[1]', 'JSON object'],
    ['ModelRatio', '{"gpt-4o": -1}', 'gpt-4o'],
    ['ModelRatio', '{"gpt-4o": 1e400}', 'gpt-4o'],
    ['ModelRatio', '{"gpt-4o": null}', 'gpt-4o'],
    ['ModelRatio', '{"gpt-4o": 0.1234567890123}', 'gpt-4o'],
    ['ModelRatio', '{"gpt-4o": 0.10000000000000000001}', 'gpt-4o'],
    ['ModelRatio', `{"gpt-4o": ${'1'.repeat(500)}}`, 'gpt-4o'],
    ['ModelPrice', '{"dall-e-3": "free"}', 'dall-e-3'],
    ['claude.model_headers_settings', '{"m": {"x-a": "a\\r\\nb: c"}}', 'm.x-a'],
    ['ModelTieredPrice', '{"m": [{"up_to": 10, "input": 1, "output": 2}]}', 'last tier'],
    [
      'ModelTieredPrice',
      '{"m": [{"up_to": null, "input": 1, "output": 2}, {"up_to": null, "input": 1, "output": 2}]}',
      'last tier',
    ],
    [
      'ModelTieredPrice',
      '{"m": [{"up_to": 10, "input": 1, "output": 2}, {"up_to": 10, "input": 1, "output": 2}, {"up_to": null, "input": 1, "output": 2}]}',
      'must grow',
    ],
    ['ModelTieredPrice', '{"m": [{"up_to": null, "input": 0, "output": 2}]}', 'model price cannot be 0'],
    ['ModelTieredPrice', '{"m": [{"up_to": null, "input": -1, "output": 2}]}', 'm.tiers.0.input'],
    [
      'ModelTieredPrice',
      '{"m": [{"up_to": null, "input": 0.1234567890123, "output": 2}]}',
      '12 decimal places',
    ],
    ['ModelTieredPrice', '{"m": []}', 'm.tiers: must have at least 1 entry'],
    ['ModelTieredPrice', '{"m": {"by": "day", "tiers": [{"up_to": null, "input": 1, "output": 2}]}}', 'm.by'],
    ['ModelTieredPrice', '{"m": [{"up_to": null, "input": 1, "output": 2, "cached": 1}]}', 'cached'],
    ['GroupGroupRatio', '{"vip": {"default": -1}}', 'vip.default'],
    ['TopupGroupRatio', '{"a,b": 1}', 'a,b'],
    ['GroupRatio', '{"vip": 1}', 'default'],
    ['GroupRatio', '{"default": 1, "auto": 1}', 'auto'],
    ['GroupRatio', '{"default": 1, "a,b": 1}', 'a,b'],
    ['UserUsableGroups', '{"auto": "x"}', 'auto'],
    ['claude.thinking_adapter_budget_tokens_percentage', '0.05', '0.1'],
    ['claude.thinking_adapter_budget_tokens_percentage', '1.1', '1'],
    ['ModelRequestRateLimitSuccessCount', '0', '1'],
    ['general_setting.docs_link', 'javascript:alert(1)', 'http'],
    ['EgressPorts', '80-', 'port'],
    ['EgressPorts', '9000-8000', 'port'],
    ['EgressPorts', '70000', 'port'],
    ['EmbedOrigins', 'https://a.example/path', 'origin'],
    ['EmbedOrigins', 'https://*.example.com', 'origin'],
    ['EmbedOrigins', '*', 'origin'],
    ['EmbedOrigins', 'https:', 'origin'],
    ['EmbedOrigins', "https://a.example;'self'", 'origin'],
    ['EmbedOrigins', 'https://a.example;sandbox', 'origin'],
    ['EmbedOrigins', 'https://a.example https://b.example', 'origin'],
    ['EmbedOrigins', 'https://a.example,b', 'origin'],
    ['WeChatAccountQRCodeImageURL', 'https://a.example;sandbox/qr.png', 'host'],
    ['WeChatAccountQRCodeImageURL', 'https://*/qr.png', 'host'],
    ['EmailDomainWhitelist', 'not a domain', 'domain'],
    ['Chats', '{}', 'array'],
    ['Chats', '[{"a":"javascript:alert(1)"}]', 'javascript:'],
    ['Chats', '[{"a":"JavaScript:alert(1)"}]', 'javascript:'],
    ['Chats', '[{"a":"data:text/html,x"}]', 'data:'],
    ['Chats', '[{"a":"https://a.example"},{"b":"file:///etc/passwd"}]', 'file:'],
    ['Chats', '[{"a":"ms-settings:home"}]', 'ms-settings:'],
    ['Chats', '[{"a":"java\\nscript:alert(1)"}]', 'whole link'],
    ['Chats', '[{"a":" javascript:alert(1)"}]', 'whole link'],
    ['Chats', '[{"a":"//evil.example"}]', 'whole link'],
    ['ChatLink', 'javascript:alert(1)', 'javascript:'],
    ['ChatLink2', 'vbscript:x', 'vbscript:'],
    ['TopUpLink', 'javascript:alert(1)', 'http'],
    ['aff_quota.codes', '{"SPRING": {"inviter": 5, "inviteer": 9}}', 'SPRING: unknown keys: inviteer'],
    ['aff_quota.codes', '{"SPRING": {"inviter": "5"}}', 'SPRING.inviter: must be a number'],
    ['aff_quota.codes', '{"SPRING": {"limit": 1.5}}', 'SPRING.limit: must be a whole number'],
    ['aff_quota.codes', '{"SPRING": {"expires": -1}}', 'SPRING.expires: must be at least 0'],
    ['aff_quota.codes', '{"SPRING": 5}', 'SPRING: must be a JSON object'],
    ['aff_quota.codes', `{"${'x'.repeat(33)}": {}}`, `${'x'.repeat(33)}: must have at most 32 characters`],
    ['aff_quota.codes', '[]', 'must be a JSON object'],
    ['TopupCodes', '{"SPRING": {"ratio": 0.9, "uses": 3}}', 'SPRING: unknown keys: uses'],
    ['TopupCodes', '{"SPRING": {"ratio": "0.9"}}', 'SPRING.ratio: must be a number'],
    ['TopupCodes', '{"SPRING": {"expires": 5}}', 'SPRING.ratio: must be a number'],
    [
      'TopupCodes',
      `{"${'x'.repeat(65)}": {"ratio": 1}}`,
      `${'x'.repeat(65)}: must have at most 64 characters`,
    ],
    ['ToolServices', '{"maps": {"url": "https://a.example", "token": "k"}}', 'maps: unknown keys: token'],
    ['ToolServices', '{"maps": {"url": 5}}', 'maps.url: must be a string'],
    ['ToolServices', '{"maps": {}}', 'maps.url: must be a string'],
    [
      'ToolServices',
      '{"maps": {"url": "https://a.example", "key": "a b"}}',
      'maps.key: must be letters, digits',
    ],
    ['ToolServices', '{"Maps": {"url": "https://a.example"}}', '"Maps" is invalid'],
    ['Logo', 'data:image/svg+xml,x', 'http'],
  ];

  it.each(bad)('%s = %s is refused, naming the key and the reason', (key, text, reason) => {
    const refused = reasonOf(key, text);
    expect(refused?.code).toBe('OPTION_INVALID');
    expect(refused?.en).toContain(specOf(key).label.en);
    expect(refused?.en).toContain(reason);
    expect(refused?.zh).toContain(specOf(key).label.zh);
    expect(refused?.zh).toMatch(/\p{Script=Han}/u);
  });

  it.each<[keyof typeof registry, string, unknown]>([
    [
      'aff_quota.codes',
      '{"SPRING": {"inviter": 5, "since": {"a": [1]}}, "FALL": {"who": 1, "limit": 2}}',
      { SPRING: { inviter: 5 }, FALL: { limit: 2 } },
    ],
    [
      'aff_quota.codes',
      '{"SPRING": {"inviter": 5, "__proto__": {"invitee": 9}}}',
      { SPRING: { inviter: 5 } },
    ],
    ['TopupCodes', '{"SPRING": {"ratio": 0.9, "uses": 3}}', { SPRING: { ratio: 0.9 } }],
    [
      'ToolServices',
      '{"maps": {"url": "https://a.example", "token": "k"}}',
      { maps: { url: 'https://a.example' } },
    ],
    [
      'ModelTieredPrice',
      '{"m": {"by": "input", "of": 1, "tiers": [{"up_to": null, "input": 1, "output": 2, "cached": 1}]}}',
      { m: { by: 'input', tiers: [{ up_to: null, input: 1, output: 2 }] } },
    ],
  ])(
    '%s = %s is read without what it has beyond its schema once it is stored, and refused until then',
    (key, text, value) => {
      expect(parseOption(key, text)).toEqual(value);
      expect(reasonOf(key, text)?.en).toMatch(/unknown keys/);
    },
  );

  it.each<[keyof typeof registry, string]>([
    ['aff_quota.codes', '{"SPRING": {"inviter": "5", "since": 1}}'],
    ['aff_quota.codes', '{"SPRING": 5}'],
    ['ModelRatio', '{"gpt-4o": -1}'],
  ])('%s = %s is refused when it is stored, too', (key, text) => {
    expect(() => parseOption(key, text)).toThrow();
  });

  it('names the model whose ratio is wrong in Chinese too', () => {
    expect(reasonOf('ModelRatio', '{"gpt-4o": -1, "o3": 1}')?.zh).toContain('gpt-4o 的值必须是');
  });
});

describe('the default prices', () => {
  it('know hundreds of models, and start the options of ratios and prices', () => {
    expect(Object.keys(defaultMap('model')).length).toBeGreaterThan(400);
    expect(registry.ModelRatio.default).toEqual(defaultMap('model'));
    expect(registry.ModelPrice.default['dall-e-3']).toBe(0.04);
    expect(registry.CompletionRatio.default['gpt-4o']).toBe(4);
    expect(registry.CacheRatio.default['gpt-4o']).toBe(0.5);
  });

  it('turn dollars a million tokens into the factors of the formula', () => {
    expect(defaultPriceOf('gpt-4o')).toEqual({ model: 1.25, completion: 4, cacheRead: 0.5 });
    expect(defaultPriceOf('claude-sonnet-4-6')).toEqual({
      model: 1.5,
      completion: 5,
      cacheRead: 0.1,
      cacheWrite: 1.25,
    });
    expect(defaultPriceOf('gpt-realtime')).toEqual({
      model: 2,
      completion: 4,
      cacheRead: 0.1,
      cacheReadAudio: 0.125,
      audio: 8,
      audioCompletion: 2,
      image: 1.25,
    });
    expect(defaultPriceOf('gpt-5-image')).toEqual({
      model: 5,
      completion: 1,
      cacheRead: 0.125,
      imageCompletion: 4,
    });
    expect(defaultPriceOf('hunyuan-lite')).toEqual({ model: 0, completion: 1 });
    expect(defaultPriceOf('dall-e-3')).toBeNull();
    expect(defaultCallPriceOf('dall-e-3')).toBe(0.04);
  });

  it('write an endless quotient to the twelve places that a ratio may have', () => {
    expect(defaultPriceOf('gemini-2.5-flash')?.completion).toBe(8.333333333333);
  });

  it('do not know a model by part of its name', () => {
    expect(defaultPriceOf('gpt-4o-2099')).toBeNull();
    expect(defaultPriceOf('__proto__')).toBeNull();
    expect(defaultCallPriceOf('constructor')).toBeNull();
  });
});
