import { expect, test } from 'bun:test';
import { createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { translatorFor } from '@/lib/translator-for.ts';
import type { Progress } from '@/lib/works.ts';
import { WorkPills } from './work-pills.tsx';

const router = createRouter({ routeTree: createRootRoute(), context: { t: translatorFor('en') } });

/** What is announced of a work. */
function told(progress: Progress): string | undefined {
  const work = { kind: 'sheet', title: 'Sheet', cancel: () => {}, ...progress };
  const markup = renderToStaticMarkup(
    <RouterContextProvider router={router}>
      <WorkPills works={[work]} />
    </RouterContextProvider>,
  );
  return /role="status"[^>]*>([^<]*)</.exec(markup)?.[1];
}

test('work is told at each quarter, and of an unknown length as under way only', () => {
  const known = [0, 24, 25, 74, 75, 99, 100, 120].map((done) => told({ done, total: 100 }));
  expect(known).toEqual([0, 0, 25, 50, 75, 75, 100, 100].map((percent) => `Sheet ${percent} %`));
  expect([0, 7, 90_000].map((done) => told({ done, total: null }))).toEqual(['Sheet', 'Sheet', 'Sheet']);
});
