import { BODY_LOOK } from '../ui/drawer-look.tsx';
import { DrawerFrame } from './drawer-frame.tsx';

interface DrawerToComeProps {
  title: string;
  sub?: string | undefined;
  /** Of drawers that are wider than others. */
  className?: string | undefined;
  onClose: () => void;
}

/** How wide the labels are, in pixels; about as many fields as most drawers have. */
const LABELS = [96, 72, 120, 84, 104, 72];

/** Stands for a drawer whose code or data are still on their way: its head, and the shape of a form. */
export function DrawerToCome(props: DrawerToComeProps) {
  return (
    <DrawerFrame {...props} busy>
      {/* A quick server fills the drawer before anything of it is seen. */}
      <div
        aria-hidden="true"
        className={`${BODY_LOOK} grid content-start gap-5 overflow-y-hidden delay-150 duration-200 fill-mode-backwards animate-in fade-in-0`}
      >
        {LABELS.map((width, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <div key={at} className="grid gap-1.5">
            <div className="flex h-[22px] items-center">
              <div className="h-3 rounded-sm bg-skeleton" style={{ width }} />
            </div>
            <div className="h-9 rounded-sm border border-line bg-ground max-md:h-11" />
          </div>
        ))}
      </div>
    </DrawerFrame>
  );
}
