import { expect, test } from 'bun:test';
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { translatorFor } from '@/lib/translator-for.ts';
import { OwnFigures } from './own-figures.tsx';

const boot = {
  preferences: { timeZone: 'UTC' },
  status: { quota_per_unit: 500_000, price: 7, display_in_currency: true },
  locale: 'en',
  user: null,
};
const router = createRouter({
  routeTree: createRootRoute(),
  history: createMemoryHistory(),
  context: { t: translatorFor('en'), boot },
});

/** A midnight of UTC. */
const START = 1_767_225_600;

function markupOf({ days, isCut }: { days: number; isCut: boolean }): string {
  const each = Array.from({ length: days }, (_, n) => n);
  const usage = {
    from: START,
    to: START + days * 86_400,
    is_cut: isCut,
    starts: each.map((n) => START + n * 86_400),
    quota: each,
    calls: each,
    all: { quota: 9, calls: 9, failed: 0 },
    models: [],
    others: null,
  };
  return renderToStaticMarkup(
    <RouterContextProvider router={router}>
      <OwnFigures own={{ quota: 7, reserved: 0, usage, steps: [], untested: null }} />
    </RouterContextProvider>,
  );
}

test('a time that was cut is told by its beginning, however many days are left, and no part of today as today', () => {
  const whole = markupOf({ days: 30, isCut: false });
  expect(whole).toContain('last 30 days');
  expect(whole).toContain('today');
  const cut = markupOf({ days: 30, isCut: true });
  expect(cut).toContain('since 2026-01-01 00:00');
  expect(cut).not.toContain('last 30 days');
  expect(cut).toContain('today');
  expect(markupOf({ days: 1, isCut: true })).not.toContain('today');
});
