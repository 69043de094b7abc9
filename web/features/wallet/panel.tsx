import { type ReactNode, useId } from 'react';

/** One part of the wallet. */
export function Panel({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="rounded-md border border-line bg-surface">
      <h2 id={id} className="border-b border-line px-4 py-3 text-base font-semibold">
        {title}
      </h2>
      <div className="p-4">{children}</div>
    </section>
  );
}
