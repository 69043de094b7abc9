import { expect, test } from 'bun:test';
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { translatorFor } from '@/lib/translator-for.ts';
import type { Progress } from '@/lib/works.ts';
import { WorkPills } from './work-pills.tsx';

const router = createRouter({
  routeTree: createRootRoute(),
  history: createMemoryHistory(),
  context: { t: translatorFor('en') },
});

function markupOf(progress: Progress, place?: string): string {
  const work = { kind: 'sheet', title: 'Sheet', place, cancel: () => {}, ...progress };
  return renderToStaticMarkup(
    <RouterContextProvider router={router}>
      <WorkPills works={[work]} />
    </RouterContextProvider>,
  );
}

/** What is announced of a work. */
const told = (progress: Progress): string | undefined =>
  /role="status"[^>]*>([^<]*)</.exec(markupOf(progress))?.[1];

test('work is told at each quarter, and of an unknown length as under way only', () => {
  const known = [0, 24, 25, 74, 75, 99, 100, 120].map((done) => told({ done, total: 100 }));
  expect(known).toEqual([0, 0, 25, 50, 75, 75, 100, 100].map((percent) => `Sheet ${percent} %`));
  expect([0, 7, 90_000].map((done) => told({ done, total: null }))).toEqual(['Sheet', 'Sheet', 'Sheet']);
});

test('work of this document can be given up, and that of the server be looked at', () => {
  const halfWay = { done: 1, total: 2 };
  expect(markupOf(halfWay)).toMatch(/<button[^>]*aria-label="Cancel: Sheet"/);
  const served = markupOf(halfWay, '/activity-config/reward/3');
  expect(served).toContain('href="/activity-config/reward/3"');
  expect(served).not.toContain('<button');
});
