/** Scripts of others, fetched when they are first needed. */

/** Where their makers are out of reach, connections often hang rather than fail. */
const SCRIPT_MS = 10_000;

/** Loads what a script brings. Rejects when it does not come; the next call tries again. */
export function scriptLoader<T>(address: string, brought: () => T | undefined): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= fetchScript(address, brought).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

function fetchScript<T>(address: string, brought: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const giveUp = () => {
      script.remove();
      reject(new Error(`${new URL(address).hostname} sent no script`));
    };
    const timer = setTimeout(giveUp, SCRIPT_MS);
    script.onload = () => {
      clearTimeout(timer);
      const found = brought();
      if (found) resolve(found);
      else giveUp();
    };
    script.onerror = giveUp;
    // The page's policy lets run what carries its nonce.
    script.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
    script.src = address;
    document.head.append(script);
  });
}
