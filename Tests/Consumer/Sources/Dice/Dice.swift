package let diceName = "Dice"
