#if !Recording
#error("WeirTesting needs the trait Recording of the package weir, which this build leaves out")
#endif
