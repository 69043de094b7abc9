/**
 * What runs in the page of `embed-page.ts`. The browser is sent its source as it stands here: it may use nothing but what
 * is in it and in the page.
 */
export function openEmbedded(): void {
  // Whose names the console knows too: `web/lib/storage.ts` and `web/lib/theme.ts`.
  const BEARER = 'embed';
  const LAYOUT = 'layout';

  const nonce = document.currentScript?.nonce ?? '';
  const words = document.documentElement.dataset;
  const url = new URL(location.href);
  const [token, user, layout] = ['oToken', 'oUser', 'layout'].map((name) => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value;
  });
  // Before anything else: neither the history nor a referrer may keep them.
  history.replaceState(null, '', url);

  const store = (key: string, value: string | null): void => {
    try {
      if (value === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, value);
    } catch {}
  };
  const stored = (key: string): string | null => {
    try {
      return sessionStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const say = (text: string | undefined): void => {
    const line = document.querySelector('p');
    line?.setAttribute('role', 'alert');
    if (line) line.textContent = text ?? '';
  };
  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(path, { ...init, cache: 'no-store' });

  /** Fetches the page itself, by a bearer or without one, and puts it in this one's place. */
  const write = async (bearer: string | null): Promise<void> => {
    const headers: Record<string, string> = { 'x-page-nonce': nonce };
    if (bearer) headers.authorization = `Bearer ${bearer}`;
    const answer = await ask(url.href, { headers });
    if (answer.redirected) {
      const to = new URL(answer.url);
      if (/^\/(login|setup)$/.test(to.pathname)) {
        store(BEARER, null);
        say(words.ended);
        return;
      }
      history.replaceState(null, '', to);
    }
    const html = await answer.text();
    document.open();
    document.write(html);
    document.close();
  };

  const begin = async (): Promise<void> => {
    if (layout != null) store(LAYOUT, layout === 'false' ? layout : null);
    if (words.framed !== 'true') {
      location.reload();
      return;
    }
    if (token == null) return write(stored(BEARER));
    store(BEARER, null);
    const begun = await (
      await ask('/api/oauth/embed_session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, user }),
      })
    ).json();
    if (!begun.success) {
      say(begun.message);
      return;
    }
    // Whether the browser has kept the session's cookie, and shows it of nobody else.
    const self = await (await ask('/api/user/self')).json();
    if (!begun.data.own_session && self.success && self.data.id === begun.data.user) {
      location.reload();
      return;
    }
    store(BEARER, begun.data.bearer);
    return write(begun.data.bearer);
  };

  begin().catch(() => say(words.offline));
}
