/** The form of applications: its values, its rules, and the body that it sends. */
import { lengthOf } from '@core/account-rules.ts';
import {
  APP_NAME_MAX,
  isRedirect,
  OAUTH_SCOPES,
  type OAuthScope,
  REDIRECTS_MAX,
} from '@modules/oauth-app/facts.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';
import type { OAuthApp } from './app.ts';

export interface OAuthAppValues {
  name: string;
  homepage: string;
  /** One a line. */
  redirects: string;
  scopes: OAuthScope[];
  confidential: boolean;
  enabled: boolean;
}

export const emptyApp: OAuthAppValues = {
  name: '',
  homepage: '',
  redirects: '',
  scopes: ['profile'],
  confidential: false,
  enabled: true,
};

export const valuesOf = (app: OAuthApp): OAuthAppValues => ({
  name: app.name,
  homepage: app.homepage,
  redirects: app.redirect_uris.join('\n'),
  scopes: app.scopes,
  confidential: app.confidential,
  enabled: app.enabled,
});

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

export function appErrors(
  { name, homepage, redirects, scopes }: OAuthAppValues,
  t: TFunction,
): FieldErrors<OAuthAppValues> {
  const isNamed = name.trim() !== '' && lengthOf(name.trim()) <= APP_NAME_MAX;
  const page = homepage.trim();
  const isPage = page === '' || (/^https?:\/\//i.test(page) && URL.canParse(page));
  return {
    name: isNamed ? undefined : t('oauthApp.nameBad'),
    homepage: isPage ? undefined : t('oauthApp.homepageBad'),
    redirects: redirectError(linesOf(redirects), t),
    scopes: scopes.length > 0 ? undefined : t('oauthApp.scopesBad'),
  };
}

function redirectError(addresses: readonly string[], t: TFunction): string | undefined {
  if (addresses.length === 0 || addresses.length > REDIRECTS_MAX) {
    return t('oauthApp.redirectsBad', { most: REDIRECTS_MAX });
  }
  const bad = addresses.find((address) => !isRedirect(address));
  return bad === undefined ? undefined : t('oauthApp.redirectBad', { address: bad.slice(0, 100) });
}

export const bodyOf = ({ name, homepage, redirects, scopes, enabled }: OAuthAppValues) => ({
  name: name.trim(),
  homepage: homepage.trim(),
  redirect_uris: linesOf(redirects),
  scopes: OAUTH_SCOPES.filter((scope) => scopes.includes(scope)),
  enabled,
});
