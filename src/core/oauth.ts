/** What applications may do for users who signed in to them with their accounts here. */
import type { Text } from './text.ts';

export const OAUTH_SCOPES = ['profile', 'balance', 'tokens:create', 'relay', 'embed'] as const;
export type OAuthScope = (typeof OAUTH_SCOPES)[number];

/** What each lets an application do, as its user is told: `it may …`. */
const SCOPE_TEXTS: Readonly<Record<OAuthScope, Text>> = {
  profile: { zh: '查看您的用户名和显示名称', en: 'see your user name and display name' },
  balance: { zh: '查看您的余额和用量', en: 'see your balance and what you have used' },
  'tokens:create': { zh: '为您创建 API 令牌', en: 'create API tokens for you' },
  relay: { zh: '以您的余额调用模型', en: 'call models, paid from your balance' },
  embed: {
    zh: '在应用内显示您的控制台，并读取其中的内容（余额、账单、日志、令牌名称等）',
    en: 'show your console inside the application, and read what it shows: balance, statements, logs, names of tokens',
  },
};

/** What those two are together. */
const EMBED_WITH_TOKENS: Text = {
  zh: '在应用内查看其为您创建的令牌的完整密钥，并修改、删除这些令牌',
  en: 'see there the whole keys of the tokens that it made for you, change and delete them',
};

/** All that an application with these scopes may do, a line each. */
export function scopeTexts(scopes: readonly string[]): Text[] {
  const known = OAUTH_SCOPES.filter((scope) => scopes.includes(scope));
  const isKeeper = known.includes('embed') && known.includes('tokens:create');
  return [...known.map((scope) => SCOPE_TEXTS[scope]), ...(isKeeper ? [EMBED_WITH_TOKENS] : [])];
}

/** What spends, opens or keeps something of his: nobody allows it who passes by at an open browser. */
export const needsProof = (scopes: readonly string[]): boolean =>
  ['tokens:create', 'relay', 'embed'].some((scope) => scopes.includes(scope));

/** Who shows the console in a frame: a session for that alone. */
export const isEmbedBearer = (text: string): boolean => /^oab_[\w-]{43}$/.test(text);

/** What an application's access token looks like: letters and digits alone, because in a relay key a dash begins a channel's number. */
export const isGrantToken = (text: string): boolean => /^oat_[A-Za-z0-9]{48}$/.test(text);
