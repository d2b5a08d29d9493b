import { OverloadedError } from '../../errors/index.ts'

/** Stops the work on a job that another process has, which would do it a second time. How it ends is told by that one. */
export class TakenOverError extends OverloadedError {
  constructor() {
    super(
      'another process has taken this job over, as this one did not say in time that it has it; ask for the job again',
    )
  }
}
