/** Whom a third party vouches for, whichever it is. */
import type { AsIs, Text } from '../../../core/text.ts';
import type { IdentityProvider } from '../../user/service.ts';

/** An account of a third party, proved to be the visitor's. */
export interface ThirdParty {
  provider: IdentityProvider;
  /** As people know the provider. */
  title: Text | AsIs;
  /** Of the user name of an account that it makes; at most 7 characters. */
  prefix: string;
  /**
   * Whose word the subject is: another issuer may call somebody else by it. The first is what is kept; the others are
   * names that it was known by here before. Just '' where there is one of the provider.
   */
  issuers: readonly [string, ...string[]];
  subject: string;
  loginName: string;
  displayName: string;
  /** Verified there; else empty. */
  email: string;
}
