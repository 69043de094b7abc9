/** Seconds until something may be done again. */
import { useCallback, useEffect, useState } from 'react';

const TICK_MS = 250;

/** When the wait ends, in milliseconds; it survives a reload of the page. */
function read(key: string): number {
  try {
    return Number(sessionStorage.getItem(key)) || 0;
  } catch {
    return 0;
  }
}

function write(key: string, until: number): void {
  try {
    sessionStorage.setItem(key, String(until));
  } catch {}
}

export interface Countdown {
  /** 0 when there is nothing to wait for. */
  left: number;
  start: (seconds: number) => void;
}

/** `name` is the wait's own, one for each thing that is waited for. */
export function useCountdown(name: string): Countdown {
  const key = `wait:${name}`;
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(0);
  useEffect(() => {
    setUntil(read(key));
    setNow(Date.now());
  }, [key]);
  const isRunning = until > now;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const start = useCallback(
    (seconds: number) => {
      const end = Date.now() + seconds * 1000;
      write(key, end);
      setUntil(end);
      setNow(Date.now());
    },
    [key],
  );
  return { left: Math.max(Math.ceil((until - now) / 1000), 0), start };
}
