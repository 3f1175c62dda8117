package let lookupName = "Lookup"
