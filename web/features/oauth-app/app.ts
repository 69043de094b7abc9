/** An application as root's calls answer it. */
import type { DataOf } from '@/lib/calls.ts';

export type OAuthApp = DataOf<'get', '/api/oauth_app/admin/:id'>;
/** With its secret, the once that it is shown. */
export type OAuthAppWithSecret = DataOf<'post', '/api/oauth_app/admin'>;
