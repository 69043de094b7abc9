import { cva, type VariantProps } from 'class-variance-authority';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/cn.ts';

/** The look of a button, for links that are drawn as one. */
export const buttonVariants = cva(
  'control inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-sm border text-sm font-medium no-underline select-none disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken disabled:text-faint disabled:hover:border-line disabled:hover:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:border-line aria-disabled:bg-sunken aria-disabled:text-faint',
  {
    variants: {
      variant: {
        default:
          'border-line-btn bg-surface text-text hover:border-line-strong hover:bg-hover [&>.lucide]:text-muted',
        primary: 'border-accent bg-accent text-on-accent hover:border-accent-hover hover:bg-accent-hover',
        ghost: 'border-transparent bg-transparent font-normal text-muted hover:bg-hover hover:text-text',
        danger: 'border-line-btn bg-surface text-bad hover:border-line-strong hover:bg-hover',
        'danger-fill': 'border-bad bg-bad text-surface hover:opacity-90',
      },
      size: {
        default: 'h-8 px-3 max-md:h-11',
        sm: 'hit h-[26px] px-2 text-xs max-md:h-9',
        lg: 'h-9 px-4 text-base max-md:h-11',
        icon: 'size-7 max-md:size-11',
        'icon-sm':
          'relative size-6 max-md:z-[1] max-md:-mx-2 max-md:-my-2.5 max-md:size-11 [&>.lucide]:size-3.5',
      },
    },
    compoundVariants: [{ variant: 'ghost', size: 'default', className: 'px-2' }],
    defaultVariants: { variant: 'default', size: 'default' },
  },
);

interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof buttonVariants> {
  /** Its work is under way: a spinner stands before the words, and pressing it again does nothing. */
  busy?: boolean;
}

/** Submits nothing unless it says `type="submit"`. */
export function Button({
  className,
  variant,
  size,
  type = 'button',
  busy = false,
  onClick,
  children,
  ...props
}: ButtonProps) {
  return (
    <button
      type={type}
      aria-busy={busy || undefined}
      className={cn(buttonVariants({ variant, size }), className)}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...props}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

export const Spinner = () => (
  <span
    aria-hidden="true"
    className="size-3 shrink-0 animate-spin rounded-full border-[1.5px] border-current border-t-transparent"
  />
);

/** A button that reads as a link in running text. */
export function LinkButton({ className, type = 'button', ...props }: ComponentProps<'button'>) {
  return <button type={type} className={cn('link hit bg-transparent', className)} {...props} />;
}
