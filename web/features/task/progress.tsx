/** How far a task is, as its upstream tells it: a bar, and in words. */
export function Progress({ progress }: { progress: string }) {
  return (
    <span className="inline-flex items-center gap-2 tabular-nums">
      <span aria-hidden="true" className="h-1 w-12 overflow-hidden rounded-full bg-line">
        <span className="block h-full bg-accent" style={{ width: progress }} />
      </span>
      {progress}
    </span>
  );
}
