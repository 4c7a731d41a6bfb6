#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'

// A command holds one page of rows at a time.
// V8 would let what it allocates meanwhile grow to a hundred megabytes all the same.
setFlagsFromString('--optimize-for-size')
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--no-maglev')
import('../dist/cli/main.js')
