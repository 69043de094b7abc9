/** What a page weighs on a browser that has never seen the site, by the browser's own count. */
import type { BrowserContext, CDPSession } from 'playwright';

/** As the line to a phone is: one way and back, and what comes through. */
export interface Line {
  latencyMs: number;
  bitsPerSecond: number;
}

export interface Weight {
  /** With the icon, for which browsers without a window do not ask by themselves. */
  requests: number;
  /** Heads and bodies as they came. */
  bytes: number;
  /**
   * From the begin of the navigation until it could be used: a click on its first row opened the drawer, or what belongs to
   * the row; where rows open nothing, the first button of the page was alive, and without rows its first field.
   */
  usableMs: number;
  /** How far things have moved by then, as Chromium adds it up. */
  shift: number;
}

declare global {
  interface Window {
    weighed: { usableMs: number | null; shift: number };
  }
}

/** Runs in the page from its begin. */
function watch(): void {
  window.weighed = { usableMs: null, shift: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput } = entry as PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      };
      if (!hadRecentInput) window.weighed.shift += value;
    }
  }).observe({ type: 'layout-shift', buffered: true });
  const isAlive = (element: Element) => Object.keys(element).some((name) => name.startsWith('__react'));
  const opener = () => document.querySelector<HTMLElement>('tbody :is([data-opens] a, [data-opens] button)');
  let isClicked = false;
  const isUsable = (): boolean => {
    const hasRows = document.querySelector('tbody tr') !== null;
    if (hasRows && opener()) return document.querySelector('[role=dialog], tr[data-detail]') !== null;
    const control = document.querySelector(hasRows ? 'main button' : 'form input');
    return control !== null && isAlive(control);
  };
  const look = () => {
    if (isUsable()) {
      window.weighed.usableMs = performance.now();
      return;
    }
    // Before it is alive it would load another page.
    const link = opener();
    if (link && isAlive(link) && !isClicked) {
      isClicked = true;
      link.click();
    }
    setTimeout(look, 10);
  };
  addEventListener('DOMContentLoaded', look);
}

/** Opens `path` in a new page of a context, which is to know nothing of the site. Throws when it cannot be used in `patienceMs`. */
export async function weigh(
  context: BrowserContext,
  path: string,
  { line, patienceMs = 20_000 }: { line?: Line; patienceMs?: number } = {},
): Promise<Weight> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const counted = await count(session, line);
  await page.addInitScript(watch);
  await page.goto(path, { waitUntil: 'commit', timeout: patienceMs });
  await page.waitForFunction(() => window.weighed?.usableMs !== null, null, { timeout: patienceMs });
  const { usableMs, shift } = await page.evaluate(() => window.weighed);
  await page.evaluate(async () => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel~=icon]');
    if (icon) await fetch(icon.href);
  });
  await page.waitForLoadState('networkidle', { timeout: patienceMs });
  await page.close();
  return { ...counted, usableMs: usableMs ?? Number.NaN, shift };
}

async function count(session: CDPSession, line?: Line): Promise<{ requests: number; bytes: number }> {
  const counted = { requests: 0, bytes: 0 };
  const open = new Set<string>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.startsWith('data:') || open.has(requestId)) return;
    open.add(requestId);
    counted.requests += 1;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counted.bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await session.send('Network.clearBrowserCache');
  if (line) {
    const bytesPerSecond = line.bitsPerSecond / 8;
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: line.latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
  }
  return counted;
}
